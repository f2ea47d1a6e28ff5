// The script of the claim page.
import { ask, complain, fact, find, show, takeSecret } from "../links/link-page.js";
import { isChecksumRight } from "./checksum.js";
import { onTraveler, showTravelerForm } from "./traveler.js";

const tripId = (location.pathname.split("/")[2] ?? "").toLowerCase();
const linkSecret = takeSecret(`guest link of ${tripId}`);
const claims = `/api/claims/${encodeURIComponent(tripId)}`;

const SECOND = 1_000;
const LOOKS_AGAIN = 3 * SECOND;
const LONGEST_PAUSE = 30 * SECOND;

const [title, words, facts, form, news] = ["title", "words", "facts", "form", "news"].map(find);
const [wallet, code, accept] = ["wallet", "code", "accept"].map(find);

/** The trip as last read; and the wallet being claimed for, from the first request to the last answer. */
let trip;
let claiming;

// --- What is shown

const say = (text) => {
  if (news.textContent !== text) news.textContent = text;
};
const buyer = () => trip?.buyerName ?? "the person who invited you";
const Buyer = () => trip?.buyerName ?? "The person who invited you";
const timeText = (iso) =>
  new Intl.DateTimeFormat("en-GB", {
    ...{ day: "numeric", month: "long", year: "numeric", hour: "2-digit", minute: "2-digit", timeZoneName: "short" },
  }).format(new Date(iso));

/** One thing at a time: a title, a few words, and what can be done. */
function render({ heading, text, list = [], asksAddress = false, canTryAgain = false, said = "" }) {
  const isNew = title.textContent !== heading;
  title.textContent = heading;
  document.title = `${heading} · Wayfare`;
  words.textContent = text;
  show(title, true);
  show(words, text !== "");
  show(find("trial"), trip?.sandbox === true);
  facts.replaceChildren(...list.map(fact));
  show(facts, list.length > 0);
  const hasSummary = asksAddress && trip.tripSummary !== null;
  find("summary-title").textContent = `About the trip, from ${buyer()}`;
  find("summary-text").textContent = hasSummary ? trip.tripSummary : "";
  show(find("summary"), hasSummary);
  show(form, asksAddress);
  show(find("traveler"), false);
  show(find("again-line"), canTryAgain);
  say(said);
  // For who hears the page.
  if (isNew) title.focus({ preventScroll: true });
}

const money = () => ["Budget", `${trip.budgetUsdc} USDC`];
const until = () => ["Can be accepted until", timeText(trip.expiresAt)];

const screens = {
  open() {
    const hello = trip.guestName === null ? "" : `Hello ${trip.guestName}. `;
    render({
      heading: trip.buyerName === null ? "A trip for you" : `A trip for you, from ${trip.buyerName}`,
      text: `${hello}${Buyer()} has set aside money to book a trip for you. It stays in escrow until the bookings are paid from it. Nothing is taken from your wallet.`,
      list: [money(), until()],
      asksAddress: true,
    });
    show(find("code-field"), trip.requiresCode);
    find("code-hint").textContent = `You get it from ${buyer()}. It is not in the email with the link.`;
    show(find("paste"), navigator.clipboard?.readText !== undefined);
  },
  claiming() {
    render({
      heading: "The trip is being accepted",
      text: "This is being recorded on the chain and takes a few seconds. The page updates by itself.",
      list: [money(), until()],
    });
    lookLater(LOOKS_AGAIN);
  },
  claimed() {
    const isMine = claiming !== undefined && sameWallet(claiming, trip.guestWallet);
    const list = [
      money(),
      [isMine ? "Your wallet" : "Accepted for the wallet", trip.guestWallet, true],
      ...(trip.claimedAt === null ? [] : [["Accepted on", timeText(trip.claimedAt)]]),
      ...(trip.txHash === null ? [] : [["Transaction", trip.txHash, true]]),
    ];
    const asksTraveler = (trip.travelerMissing ?? []).length > 0;
    if (isMine) {
      const next = asksTraveler
        ? "One thing is missing before it can be booked: who travels."
        : `You have nothing else to do: ${buyer()} can now book the trip.`;
      render({ heading: "The trip is yours", text: `Your wallet is now recorded as the guest's. ${next}`, list });
    } else {
      const next = asksTraveler ? " If it is yours, enter below who travels." : "";
      render({
        heading: "This trip has been accepted",
        text: `A trip can be accepted once. If the wallet below is not yours, tell ${buyer()}.${next}`,
        list,
      });
    }
    if (asksTraveler) showTravelerForm(trip, buyer(), codeText());
  },
  locked() {
    render({
      heading: "Too many wrong codes",
      text: `The trip is locked to keep anyone from guessing the code. Ask ${buyer()} to unlock it and to give you the right code, then try again.`,
      list: [money(), until()],
      canTryAgain: true,
    });
  },
  expired() {
    render({
      heading: "This trip can no longer be accepted",
      text: `It could be accepted until ${timeText(trip.expiresAt)}. The unspent money goes back to ${buyer()}.`,
    });
  },
  closed() {
    render({ heading: "This trip has been closed", text: `The unspent money has gone back to ${buyer()}.` });
  },
  funding() {
    render({
      heading: "The budget is still on its way",
      text: "You can accept the trip as soon as its money arrives. The page updates by itself.",
      list: [money(), until()],
    });
    lookLater(LOOKS_AGAIN);
  },
  failed() {
    render({
      heading: "This trip has no budget",
      text: `Its money never arrived, so there is nothing to accept. Ask ${buyer()} for a new invitation.`,
    });
  },
};

function showWrongLink() {
  render({
    heading: "This link does not work",
    text: "It is incomplete or belongs to another trip. Open it again from the message you received. If you copied it, copy all of it, including the part after the #.",
  });
}

// --- Asking

let later;
function lookLater(milliseconds) {
  clearTimeout(later);
  later = setTimeout(look, milliseconds);
}

const whySlow = {
  no_connection: "There is no connection. The page will try again by itself.",
  rate_limited: "There were too many requests from your network. The page will try again by itself.",
};
const slowText = ({ code: problem }) => whySlow[problem] ?? "The service is busy. The page will try again by itself.";

let failures = 0;
const nextPause = ({ pause }) => {
  failures += 1;
  return Math.max(pause, Math.min(SECOND * 2 ** failures, LONGEST_PAUSE));
};

/** Reads the trip and shows what can be done with it now. */
async function look() {
  if (linkSecret === "") return showWrongLink();
  const { value, problem } = await ask(`${claims}/view`, { linkSecret });
  if (problem !== undefined) {
    if (problem.retryable === true) {
      say(slowText(problem));
      return lookLater(nextPause(problem));
    }
    return problem.status === 404 ? showWrongLink() : showTrouble(problem);
  }
  failures = 0;
  const codesLeftBefore = trip?.codesLeft;
  trip = value;
  if (claiming !== undefined && trip.state === "open") return goOn(codesLeftBefore);
  screens[trip.state]();
}

function showTrouble({ detail, traceId }) {
  render({
    heading: "Something went wrong",
    text: `${detail ?? ""} ${traceId === undefined ? "" : `If this keeps happening, give ${buyer()} this number: ${traceId}`}`,
    canTryAgain: true,
  });
}

// --- Accepting

/** After a request whose answer was lost: a code that was counted as wrong is not sent again. */
function goOn(codesLeftBefore) {
  if (codesLeftBefore !== undefined && trip.codesLeft < codesLeftBefore) return showWrongCode(trip.codesLeft);
  return claim();
}

async function claim() {
  setBusy(true);
  const { problem } = await ask(claims, {
    linkSecret,
    guestWallet: claiming,
    ...(trip.requiresCode ? { claimCode: codeText() } : {}),
  });
  if (problem === undefined) return look();
  const { code: kind, reason } = problem;
  if (reason === "claim_code_wrong" || reason === "claim_code_required") {
    if (problem.attemptsLeft === 0) return stop();
    return showWrongCode(problem.attemptsLeft ?? trip.codesLeft);
  }
  if (kind === "invalid_input") {
    stopClaiming();
    return complain(wallet, "This is not a wallet address. Copy it from your wallet again.");
  }
  if (kind === "in_progress") {
    say("The chain is slow. Nothing is lost: leave the page open, and it will keep trying by itself.");
    return lookLater(nextPause(problem));
  }
  if (problem.retryable === true) {
    say(slowText(problem));
    return lookLater(nextPause(problem));
  }
  if (reason === "step_reverted") {
    stopClaiming();
    return say("The chain refused it, and nothing has changed. Press the button again.");
  }
  // Whatever else stands against it, the trip says best itself.
  return stop();
}

function stop() {
  stopClaiming();
  return look();
}

function stopClaiming() {
  claiming = undefined;
  setBusy(false);
  say("");
}

function showWrongCode(left) {
  stopClaiming();
  trip.codesLeft = left;
  if (left <= 0) return look();
  const tries = left === 1 ? "One try is left" : `${left} tries are left`;
  complain(code, `That is not the right code. ${tries} before the trip is locked.`);
  code.select();
}

function setBusy(isBusy) {
  accept.setAttribute("aria-disabled", String(isBusy));
  wallet.readOnly = isBusy;
  code.readOnly = isBusy;
  if (isBusy) say("This is being recorded on the chain and takes a few seconds.");
}

const walletText = () => wallet.value.trim();
const codeText = () => code.value.replaceAll(/\D/g, "");
const sameWallet = (one, other) => one.toLowerCase() === (other ?? "").toLowerCase();

function walletProblem() {
  const text = walletText();
  if (text === "") return "Enter the address of your wallet.";
  if (/^(\s*[a-z]+\s+){5,}/i.test(text))
    return "This looks like a recovery phrase. Never enter it anywhere: only the address is needed.";
  if (/^(0x)?[0-9a-f]{64}$/i.test(text))
    return "This looks like a private key. Never enter it anywhere: only the address is needed.";
  if (!/^0x[0-9a-f]{40}$/i.test(text))
    return "An address is 0x followed by 40 digits and letters from a to f. Copy it from your wallet.";
  if (/^0x0+$/.test(text)) return "This address belongs to nobody. Copy yours from your wallet.";
  return isChecksumRight(text) ? "" : "A letter of this address is wrong. Copy it from your wallet again.";
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (claiming !== undefined) return;
  const problem = walletProblem();
  const codeProblem = trip.requiresCode && codeText().length !== 6 ? "The code has six digits." : "";
  // The last that is complained about gets the focus: the first field that is wrong.
  complain(code, codeProblem);
  complain(wallet, problem);
  if (problem !== "" || codeProblem !== "") return;
  claiming = walletText();
  void claim();
});
for (const input of [wallet, code]) input.addEventListener("input", () => complain(input, ""));
wallet.addEventListener("input", () => {
  const text = walletText();
  // A phone shows half of it.
  find("wallet-ends").textContent =
    text !== "" && walletProblem() === ""
      ? `It begins with ${text.slice(0, 6)} and ends with ${text.slice(-4)}: compare that with your wallet.`
      : "";
});
// No complaint here: the line would push the button away from under the finger that leaves the field for it.
wallet.addEventListener("change", () => {
  wallet.value = walletText();
});
find("paste").addEventListener("click", async () => {
  try {
    wallet.value = (await navigator.clipboard.readText()).trim().slice(0, 400);
    wallet.dispatchEvent(new Event("input"));
    complain(wallet, walletProblem());
  } catch {
    // Not allowed: the field takes it as well.
    wallet.focus();
  }
});
find("again").addEventListener("click", () => {
  say("Looking again…");
  void look();
});

onTraveler({ claims, linkSecret, say, tripNow: () => trip, done: look });

say("Looking up your trip…");
void look();
