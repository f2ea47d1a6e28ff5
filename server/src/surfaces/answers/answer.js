// The script of the page on which a person answers a question that came by mail.
import { ask, find, show, takeSecret } from "../links/link-page.js";

const [title, words, question, form, button, news] = ["title", "words", "question", "form", "answer", "news"].map(find);
const token = takeSecret("answer link");
let isBusy = false;

function render({ heading, text, canTryAgain = false }) {
  title.textContent = heading;
  document.title = `${heading} · Wayfare`;
  words.textContent = text;
  show(title, true);
  show(words, text !== "");
  show(question, false);
  show(form, false);
  show(find("again-line"), canTryAgain);
  news.textContent = "";
  title.focus({ preventScroll: true });
}

const over = {
  heading: "That question is not open any more",
  text: "It was answered, or something else was said since. Look at the latest mail, and copy all of its link.",
};

async function look() {
  const { value, problem } =
    token === "" ? { problem: { status: 404 } } : await ask("/api/channel-answers/view", { token });
  if (problem !== undefined) {
    const isOver = problem.status === 404 || problem.code === "invalid_input";
    return render(isOver ? over : { heading: "Something went wrong", text: problem.detail ?? "", canTryAgain: true });
  }
  render({ heading: "Your answer", text: "" });
  question.textContent = value.question;
  button.textContent = value.answer;
  show(question, true);
  show(form, true);
}

async function answer() {
  if (isBusy) return;
  isBusy = true;
  button.setAttribute("aria-disabled", "true");
  news.textContent = "One moment…";
  const { problem } = await ask("/api/channel-answers", { token });
  isBusy = false;
  button.setAttribute("aria-disabled", "false");
  if (problem === undefined) {
    return render({ heading: "Thank you", text: "Your answer has arrived. The reply comes by mail." });
  }
  if (problem.status === 404) return render(over);
  news.textContent = problem.detail ?? "Your answer could not be saved. Try again.";
}

button.addEventListener("click", () => void answer());
find("again").addEventListener("click", () => void look());
void look();
