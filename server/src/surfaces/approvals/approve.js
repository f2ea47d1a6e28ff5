// The script of the page on which a person decides an approval.
const [, , approvalId = "", person = ""] = location.pathname.split("/");
const linkSecret = takeSecret();
const link = `/api/approval-links/${encodeURIComponent(approvalId)}`;
const REQUEST_TIMEOUT = 30_000;

const find = (id) => document.getElementById(id);
const [title, words, facts, form, news, reason] = ["title", "words", "facts", "form", "news", "reason"].map(find);
const buttons = [find("approve"), find("reject")];
let isBusy = false;

/** Out of the address bar and the history at once; kept for this tab, as phones forget pages while another program is open. */
function takeSecret() {
  const kept = `approval link of ${approvalId}`;
  const given = location.hash.slice(1);
  if (given !== "") history.replaceState(null, "", location.pathname);
  try {
    if (given !== "") sessionStorage.setItem(kept, given);
    return sessionStorage.getItem(kept) ?? given;
  } catch {
    return given;
  }
}

const show = (element, isShown) => {
  element.hidden = !isShown;
};
const timeText = (iso) =>
  new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeStyle: "short" }).format(new Date(iso));
const localText = (text) => text.replace("T", " ").slice(0, 16);

function render({ heading, text, approval, canDecide = false, canTryAgain = false }) {
  title.textContent = heading;
  document.title = `${heading} · Wayfare`;
  words.textContent = text;
  show(find("trial"), approval?.sandbox === true);
  facts.replaceChildren(...(approval === undefined ? [] : factsOf(approval).map(fact)));
  show(facts, approval !== undefined);
  const texts = approval === undefined ? [] : whyOf(approval.evidence);
  find("violations").replaceChildren(...texts.map(item));
  show(find("why"), texts.length > 0);
  show(form, canDecide);
  show(find("again-line"), canTryAgain);
  news.textContent = "";
  title.focus({ preventScroll: true });
}

function fact([name, value]) {
  const row = document.createElement("div");
  const term = document.createElement("dt");
  const description = document.createElement("dd");
  term.textContent = name;
  description.textContent = value;
  row.append(term, description);
  return row;
}
function item(text) {
  const line = document.createElement("li");
  line.textContent = text;
  return line;
}

function factsOf({ amount, tool, travelerId, requestedBy, expiresAt, policyId, policyVersion, evidence }) {
  const { bought, payments = [] } = evidence;
  return [
    ["What", bought === null ? paymentText(payments, tool) : boughtText(bought)],
    ["Price", amount === null ? "Not known" : bought === null ? amount : `${amount} USD`],
    ["For", (bought?.travelerIds ?? [travelerId]).join(", ")],
    ["Asked for by", requestedBy],
    ["Policy", `${policyId}, version ${policyVersion}`],
    ["Can be decided until", timeText(expiresAt)],
  ];
}
const paymentText = (payments, tool) =>
  payments.map(({ amount, token, to }) => `${amount ?? "?"} ${token} to ${to}`).join("\n") || tool;
function boughtText(bought) {
  if (bought.kind === "stay") return `Hotel, ${bought.checkInDate ?? "?"} to ${bought.checkOutDate ?? "?"}`;
  const legs = bought.legs.map(({ origin, destination, departsAt, cabin }) =>
    [`${origin ?? "?"} to ${destination ?? "?"}`, departsAt && localText(departsAt), cabin?.replace("_", " ")]
      .filter(Boolean)
      .join(", "),
  );
  return `Flight${bought.carriers === null ? "" : ` with ${bought.carriers.join(", ")}`}\n${legs.join("\n")}`;
}
function whyOf({ violations = [], notEvaluated = [] }) {
  const unknown = notEvaluated.map(
    ({ rule, missing }) => `${rule} could not be judged: ${missing.join(", ")} not known.`,
  );
  return [...violations.map(({ text }) => text), ...unknown];
}

const decidedText = ({ decidedBy, decidedAt, reason: why }) =>
  decidedBy === null ? "" : `By ${decidedBy}, ${timeText(decidedAt)}.${why === null ? "" : ` “${why}”`}`;
const screens = {
  pending: (approval) => ({
    heading: "Your approval is needed",
    text: `Hello ${approval.personName}. The travel policy asks for a person's decision. Approved, it can be done once.`,
    canDecide: true,
  }),
  approved: (approval) => ({ heading: "Approved", text: decidedText(approval) }),
  rejected: (approval) => ({ heading: "Rejected", text: decidedText(approval) }),
  revoked: (approval) => ({ heading: "Taken back", text: decidedText(approval) }),
  used: (approval) => ({ heading: "Approved and done", text: decidedText(approval) }),
  expired: () => ({ heading: "Too late to decide", text: "If it is still wanted, it will be asked for again." }),
  replaced: () => ({
    heading: "This has changed",
    text: "What was asked for has changed. If it is still wanted, another approval is asked for.",
  }),
};

async function ask(path, body) {
  try {
    const response = await fetch(path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ personId: decodeURIComponent(person), linkSecret, ...body }),
      cache: "no-store",
      credentials: "omit",
      redirect: "error",
      signal: AbortSignal.timeout(REQUEST_TIMEOUT),
    });
    const value = await response.json();
    return response.ok ? { value } : { problem: value };
  } catch {
    return { problem: { code: "no_connection", detail: "There is no connection." } };
  }
}

async function look() {
  const { value, problem } = linkSecret === "" ? { problem: { status: 404 } } : await ask(`${link}/view`);
  if (problem === undefined) return render({ ...screens[value.state](value), approval: value });
  if (problem.status === 404 || problem.code === "invalid_input") {
    return render({
      heading: "This link does not work",
      text: "It is not complete, or not yours any more. Open it again where you got it, all of it.",
    });
  }
  render({ heading: "Something went wrong", text: problem.detail ?? "", canTryAgain: true });
}

function complain(text) {
  const line = find("reason-error");
  line.textContent = text;
  show(line, text !== "");
  reason.setAttribute("aria-invalid", String(text !== ""));
  if (text !== "") reason.focus();
}

async function decide(decision) {
  if (isBusy) return;
  const why = reason.value.trim();
  complain(decision === "reject" && why === "" ? "Say why, so that something else can be found." : "");
  if (decision === "reject" && why === "") return;
  setBusy(true);
  const { problem } = await ask(link, { decision, ...(why === "" ? {} : { reason: why }) });
  setBusy(false);
  // Whoever was first has decided: the page shows what it was.
  if (problem === undefined || problem.code === "conflict") return look();
  news.textContent = problem.detail ?? "It could not be stored. Try again.";
}

function setBusy(busy) {
  isBusy = busy;
  for (const button of buttons) button.setAttribute("aria-disabled", String(busy));
  news.textContent = busy ? "One moment…" : "";
}

find("approve").addEventListener("click", () => void decide("approve"));
find("reject").addEventListener("click", () => void decide("reject"));
reason.addEventListener("input", () => complain(""));
find("again").addEventListener("click", () => void look());
void look();
