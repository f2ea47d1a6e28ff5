// The script of the page on which a person ends notices of a kind. Nothing ends before the button is pressed.
import { ask, find, show, takeSecret } from "../links/link-page.js";

const [title, words, form, news] = ["title", "words", "form", "news"].map(find);
const token = takeSecret("unsubscribe link");

function render(heading, text, canEnd) {
  title.textContent = heading;
  document.title = `${heading} · Wayfare`;
  words.textContent = text;
  show(title, true);
  show(words, text !== "");
  show(form, canEnd);
  news.textContent = "";
  title.focus({ preventScroll: true });
}

async function end() {
  const { problem } = await ask(`/api/notice-unsubscribes?token=${token}`, {});
  if (problem === undefined) return render("Done", "You get no more mails of this kind.", false);
  news.textContent = problem.detail ?? "That did not work. Try again.";
}

find("end").addEventListener("click", () => void end());
if (token === "") render("This link does not work", "It is incomplete. Copy all of it.", false);
else render("No more mails of this kind?", "Changes by the airline and cancellations are told all the same.", true);
