// The script of the page on which a person decides an approval.
import { ask, complain, element, fact, find, show, takeSecret } from "../links/link-page.js";

const [, , approvalId = "", person = ""] = location.pathname.split("/");
const proof = { personId: decodeURIComponent(person), linkSecret: takeSecret(`approval link of ${approvalId}`) };
const link = `/api/approval-links/${encodeURIComponent(approvalId)}`;

const [title, words, facts, form, news, reason] = ["title", "words", "facts", "form", "news", "reason"].map(find);
const buttons = [find("approve"), find("reject")];
let isBusy = false;
/** By the code of an airport or a city. */
let cities = {};

function render({ heading, text, approval, canDecide = false, canTryAgain = false }) {
  title.textContent = heading;
  document.title = `${heading} · Wayfare`;
  words.textContent = text;
  show(title, true);
  show(words, text !== "");
  cities = approval?.cities ?? {};
  show(find("trial"), approval?.sandbox === true);
  facts.replaceChildren(...(approval === undefined ? [] : listFacts(approval).map(fact)));
  show(facts, approval !== undefined);
  list("why", "violations", approval === undefined ? [] : listReasons(approval.evidence));
  list("instead", "alternatives", canDecide ? (approval.evidence.alternatives ?? []).map(alternativeText) : []);
  show(form, canDecide);
  show(find("again-line"), canTryAgain);
  news.textContent = "";
  title.focus({ preventScroll: true });
}

function list(section, id, texts) {
  find(id).replaceChildren(...texts.map((text) => element("li", text)));
  show(find(section), texts.length > 0);
}

// --- What it is about

const timeText = (iso) =>
  new Intl.DateTimeFormat("en-GB", {
    ...{ day: "numeric", month: "long", year: "numeric", hour: "2-digit", minute: "2-digit", timeZoneName: "short" },
  }).format(new Date(iso));
// Local times of places are written as they are: the time zone of who reads them changes nothing.
const localFormat = (options) => new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", ...options });
const dayFormat = localFormat({ weekday: "short", day: "numeric", month: "short", year: "numeric" });
const dayText = (text) => (text === null ? "?" : dayFormat.format(new Date(`${text.slice(0, 10)}T00:00Z`)));
const hourText = (text) => text.slice(11, 16);
const spaced = (text) => text.replaceAll("_", " ");
const filled = (parts, separator) => parts.filter(Boolean).join(separator);

function listFacts({ amount, isMinimum, tool, travelers, expiresAt, policyId, policyVersion, evidence, ...asker }) {
  const { bought, purpose, payments = [] } = evidence;
  return [
    ["What", bought === null ? paymentText(payments, tool) : boughtText(bought)],
    ...(purpose ? [["Meant for", boughtText(purpose)]] : []),
    ["Price", amount === null ? "Not known" : bought === null ? amount : priceText(amount, { ...bought, isMinimum })],
    ["For", travelers.map(({ userId, name }) => name ?? userId).join(", ")],
    ["Asked for by", askerText(asker)],
    ["Policy", `${policyId}, version ${policyVersion}`],
    ["Can be decided until", timeText(expiresAt)],
  ];
}
function askerText({ requestedBy, requestedByKey, requestedFor, isAgents, keyName }) {
  const agent = keyName === null ? `An agent (${requestedByKey})` : `An agent with the key “${keyName}”`;
  const asker = isAgents ? agent : requestedBy;
  return requestedFor === null || requestedFor === asker ? asker : `${asker} for ${requestedFor}`;
}
const paymentText = (payments, tool) =>
  payments
    .map(
      ({ amount, token, to, chain }) =>
        `${amount ?? "?"} ${token} to ${spaced(to)}${chain === undefined ? "" : ` on ${chain}`}`,
    )
    .join("\n") || spaced(tool);

/** In cents, as prices are read; a started cent counts. */
function moneyText(amount) {
  const [whole, micro] = amount.split(".");
  const cents = Math.ceil(Number(`${micro ?? "0"}000000`.slice(0, 6)) / 10_000);
  return cents < 100 ? `${whole}.${String(cents).padStart(2, "0")}` : `${BigInt(whole) + 1n}.00`;
}
const priceText = (amount, { isMinimum = false, ...bought }) => {
  const price = `${moneyText(amount)} USD`;
  const all = isMinimum ? `at least ${price}, plus services whose price is not known` : price;
  return filled([all, refundText(bought)], ", ");
};
/** How an airline pays a refund is only known of the order, when its cancellation is quoted. */
function refundText({ kind, refundable, refundPenaltyUsd }) {
  if (refundable === null) return "";
  if (!refundable) return "not refundable";
  if (kind !== "flight") return "refundable";
  const fee =
    typeof refundPenaltyUsd !== "string"
      ? "for an unknown fee"
      : Number(refundPenaltyUsd) === 0
        ? "without a fee"
        : `less a fee of ${moneyText(refundPenaltyUsd)} USD`;
  return `refundable ${fee}, in money or airline credit, at the airline's choice`;
}

function boughtText(bought) {
  if (bought.kind === "stay") return stayText(bought);
  const names = bought.carriers?.map((code) => bought.airlines?.[code] ?? code);
  const airlines = names === undefined ? "" : ` with ${names.join(", ")}`;
  return `Flight${airlines}\n${bought.legs.map(legText).join("\n")}`;
}
function stayText({ name, checkInDate, checkOutDate, rooms, stars }) {
  const many = (count, one) => count && `${count} ${one}${count === 1 ? "" : "s"}`;
  const size = [many(rooms, "room"), many(stars, "star")];
  return filled([name ?? "Hotel", `${dayText(checkInDate)} to ${dayText(checkOutDate)}`, filled(size, ", ")], "\n");
}
const placeText = (code) => (cities[code] === undefined ? (code ?? "?") : `${cities[code]} (${code})`);
const lengthText = (minutes) =>
  filled([Math.floor(minutes / 60) && `${Math.floor(minutes / 60)} h`, minutes % 60 && `${minutes % 60} min`], " ");
function legText({ origin, destination, departsAt, arrivesAt, durationMinutes, stops, cabin, flights }) {
  const later =
    departsAt && arrivesAt ? (Date.parse(arrivesAt.slice(0, 10)) - Date.parse(departsAt.slice(0, 10))) / 86_400_000 : 0;
  const arrival = arrivesAt && `${hourText(arrivesAt)}${later === 0 ? "" : ` (${later > 0 ? "+" : ""}${later})`}`;
  const times = departsAt && `${dayText(departsAt)}, ${filled([hourText(departsAt), arrival], "–")}`;
  const way = stops === null ? "" : stops === 0 ? "non-stop" : `${stops} ${stops === 1 ? "stop" : "stops"}`;
  return [
    filled([`${placeText(origin)} to ${placeText(destination)}`, flights?.join(" + ")], ", "),
    filled([times, durationMinutes && lengthText(durationMinutes), cabin && spaced(cabin), way], ", "),
  ].join("\n");
}
const alternativeText = (one) =>
  filled(
    [
      one.priceUsd === null ? "" : priceText(one.priceUsd, one),
      ...(one.kind === "stay" ? [stayText(one)] : one.legs.map(legText)),
    ],
    "\n",
  );

function listReasons({ violations = [], notEvaluated = [] }) {
  const unknown = notEvaluated.map(
    ({ rule, missing }) => `${rule} could not be checked: ${missing.join(", ")} not known.`,
  );
  return [...violations.map(({ text }) => text), ...unknown];
}

// --- What became of it

const decidedText = ({ decidedBy, decidedAt, reason: why }) =>
  decidedBy === null ? "" : `By ${decidedBy}, ${timeText(decidedAt)}.${why === null ? "" : ` “${why}”`}`;
const screens = {
  pending: (approval) => ({
    heading: "Your approval is needed",
    text: `Hello ${approval.personName}. The travel policy requires a person's decision. If you approve, this can be done once.`,
    canDecide: true,
  }),
  approved: (approval) => ({ heading: "Approved", text: decidedText(approval) }),
  rejected: (approval) => ({ heading: "Rejected", text: decidedText(approval) }),
  revoked: (approval) => ({ heading: "Withdrawn", text: decidedText(approval) }),
  used: (approval) => ({ heading: "Approved and done", text: decidedText(approval) }),
  expired: () => ({ heading: "Too late to decide", text: "If it is still wanted, you will be asked again." }),
  replaced: () => ({
    heading: "No longer needed",
    text: "The request has changed or was cancelled. If it is still wanted, you will get a new one.",
  }),
};

async function look() {
  const { value, problem } = proof.linkSecret === "" ? { problem: { status: 404 } } : await ask(`${link}/view`, proof);
  if (problem === undefined) return render({ ...screens[value.state](value), approval: value });
  if (problem.status === 404 || problem.code === "invalid_input") {
    return render({
      heading: "This link does not work",
      text: "It is incomplete or no longer yours. Open it again from the message you received, and copy all of it.",
    });
  }
  render({ heading: "Something went wrong", text: problem.detail ?? "", canTryAgain: true });
}

async function decide(decision) {
  if (isBusy) return;
  const why = reason.value.trim();
  complain(reason, decision === "reject" && why === "" ? "Say why, so that an alternative can be found." : "");
  if (decision === "reject" && why === "") return;
  setBusy(true);
  const { problem } = await ask(link, { ...proof, decision, ...(why === "" ? {} : { reason: why }) });
  setBusy(false);
  // Whoever was first has decided: the page shows what it was.
  if (problem === undefined || problem.code === "conflict") return look();
  news.textContent = problem.detail ?? "Your decision could not be saved. Try again.";
}

function setBusy(busy) {
  isBusy = busy;
  for (const button of buttons) button.setAttribute("aria-disabled", String(busy));
  news.textContent = busy ? "One moment…" : "";
}

find("approve").addEventListener("click", () => void decide("approve"));
find("reject").addEventListener("click", () => void decide("reject"));
reason.addEventListener("input", () => complain(reason, ""));
find("again").addEventListener("click", () => void look());
void look();
