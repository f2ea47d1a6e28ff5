// The form by which the guest of a claimed trip says who travels.
import { ask, complain, find, show } from "../links/link-page.js";

/** As the service names them, and what is wrong with an empty one. */
const travelerFields = {
  givenName: "Enter the given names.",
  familyName: "Enter the family name.",
  bornOn: "Enter the date of birth.",
  title: "Choose a title.",
  gender: "Choose one.",
  email: "Enter an email address.",
  phoneNumber: "Enter a phone number.",
};
const travelerInput = (name) => find(`traveler-${name}`);
const travelerCode = find("traveler-code");
const travelerButton = find("traveler-save");
const inE164 = (text) => text.replaceAll(/[\s().-]/g, "").replace(/^00/, "+");

/** `code`: what was typed for the claim, so that it is not asked for twice. */
export function showTravelerForm({ travelerMissing, requiresCode }, buyer, code) {
  show(find("traveler"), true);
  show(find("traveler-email-field"), travelerMissing.includes("email"));
  show(find("traveler-code-field"), requiresCode);
  find("traveler-once").textContent =
    `As on the passport. You can enter this once; afterwards, ask ${buyer} to change it.`;
  if (travelerCode.value === "") travelerCode.value = code;
}

function readTraveler({ travelerMissing, requiresCode }) {
  const asked = Object.keys(travelerFields).filter((name) => name !== "email" || travelerMissing.includes("email"));
  const body = Object.fromEntries(asked.map((name) => [name, travelerInput(name).value.trim()]));
  body.phoneNumber = inE164(body.phoneNumber);
  const claimCode = travelerCode.value.replaceAll(/\D/g, "");
  const isWrongCode = requiresCode && claimCode.length !== 6;
  complain(travelerCode, isWrongCode ? "The code has six digits." : "");
  // The last that is complained about gets the focus: the first field that is wrong.
  for (const name of asked.toReversed()) complain(travelerInput(name), body[name] === "" ? travelerFields[name] : "");
  if (isWrongCode || Object.values(body).includes("")) return undefined;
  return requiresCode ? { ...body, claimCode } : body;
}

function showTravelerProblem({ code, reason, attemptsLeft, detail, issues = [] }) {
  const known = issues.filter(({ path }) => path in travelerFields);
  for (const { path, message } of known.toReversed()) complain(travelerInput(path), `This ${message}.`);
  if (known.length > 0) return "";
  if (reason === "claim_code_wrong") {
    complain(travelerCode, `That is not the right code. Tries left: ${attemptsLeft}.`);
    return "";
  }
  return code === "no_connection" ? "There is no connection. Press the button again." : (detail ?? "");
}

/** `tripNow` answers the trip as the page knows it; `done` is called once who travels is known. */
export function onTraveler({ claims, linkSecret, tripNow, say, done }) {
  let isBusy = false;
  const busy = (now) => {
    isBusy = now;
    travelerButton.setAttribute("aria-disabled", String(now));
  };
  find("traveler").addEventListener("submit", async (event) => {
    event.preventDefault();
    if (isBusy) return;
    say("");
    const body = readTraveler(tripNow());
    if (body === undefined) return;
    busy(true);
    const { problem } = await ask(`${claims}/traveler`, { linkSecret, ...body });
    busy(false);
    if (problem === undefined || problem.reason === "traveler_given") return done();
    say(showTravelerProblem(problem));
  });
  for (const name of [...Object.keys(travelerFields), "code"]) {
    travelerInput(name).addEventListener("input", () => complain(travelerInput(name), ""));
  }
}
