import { escapeHtml } from "../../domain/escape-html.ts";
import { defaultScopes, EVERYTHING } from "../../domain/scopes.ts";
import { toVisibleText } from "../../domain/visible-text.ts";
import type { Membership } from "../../ports/sign-in.ts";
import type { HttpAnswer } from "../http/http.ts";
import { hidden, paragraph, renderPage } from "../sign-in/render-page.ts";
import { groupScopes, type ScopeGroup } from "./scopes.ts";

/** The program that asks. */
export interface AskingClient {
  id: string;
  name: string;
  /** The host that vouches for the name, as the program's id is an address there. */
  host: string | undefined;
  redirectUri: string;
}

interface ConsentForm {
  path: string;
  csrf: string;
  client: AskingClient;
  member: Membership;
  others: readonly Membership[];
  /** The scopes that may be allowed. */
  grantable: readonly string[];
  /** True: the client asked for everything, or for nothing. */
  isOpenAsked: boolean;
  error?: string | undefined;
}

const LONGEST_NAME = 80;
export const LIFE_DAYS = [7, 30, 90, 365] as const;
const USUAL_DAYS = 90;

export const nameTenant = ({ tenantId, environment }: Pick<Membership, "tenantId" | "environment">): string =>
  `${tenantId}/${environment}`;

export function describeClient(client: { id: string; name: string | undefined; redirectUri: string }): AskingClient {
  const address = URL.parse(client.id);
  const host = address?.protocol === "https:" ? address.host : undefined;
  return { ...client, host, name: toVisibleText(client.name ?? host ?? "A program without a name", LONGEST_NAME) };
}

export function renderConsent({ path, csrf, client, member, others, error, ...asked }: ConsentForm): HttpAnswer {
  const { name, tenantName, environment } = member;
  return renderPage({
    title: `${client.name} asks to act for you`,
    body: `${paragraph(client.host === undefined ? "The program names itself so: nobody has verified the name. Go on only if you have just started to connect it yourself." : `The name is given by ${client.host}, whose address the program has.`)}
<p>You are <strong>${escapeHtml(name)}</strong> at <strong>${escapeHtml(tenantName)}</strong>, ${environment}. The program acts in your name there, within your roles, until you end it. It never decides approvals and changes no rules.</p>
${otherTenants(path, others)}
${paragraph(`Then you return to ${sayTarget(client.redirectUri)}.`)}
${error === undefined ? "" : paragraph(error, "error")}
<form method="post" action="${escapeHtml(path)}">
${hidden("csrf", csrf)}${hidden("tenant", nameTenant(member))}
${renderChoices(asked, environment)}
<fieldset><legend>Limits in USDC</legend><div class="pair">
${amount("perCall", "Per call")}${amount("perDay", "Per day")}</div>
<p class="hint">Left empty, only the limits of your tenant hold.</p></fieldset>
<label for="days">Expires after</label>
<select id="days" name="days">${LIFE_DAYS.map((days) => `<option value="${days}"${days === USUAL_DAYS ? " selected" : ""}>${days} days</option>`).join("")}</select>
<button type="submit" name="answer" value="allow">Allow</button>
<button class="plain" type="submit" name="answer" value="refuse">Refuse</button>
</form>`,
    ...(error === undefined ? {} : { status: 400 }),
    formTarget: sayFormTarget(client.redirectUri),
  });
}

function otherTenants(path: string, others: readonly Membership[]): string {
  if (others.length === 0) return "";
  const links = others.map((other) => {
    const label = `${other.tenantName}, ${other.environment}`;
    return `<a href="${escapeHtml(path)}?tenant=${encodeURIComponent(nameTenant(other))}">${escapeHtml(label)}</a>`;
  });
  return `<p class="quiet">Another tenant: ${links.join(" · ")}</p>`;
}

/** Asked scopes are ticked; for a client that asks for everything, those of a new key. */
function renderChoices(
  { grantable, isOpenAsked }: Pick<ConsentForm, "grantable" | "isOpenAsked">,
  environment: Membership["environment"],
): string {
  const usual = isOpenAsked ? defaultScopes(environment) : grantable;
  const offersEverything = grantable.includes(EVERYTHING);
  const isEverything = offersEverything && usual.includes(EVERYTHING);
  const everything = offersEverything
    ? `<label class="choice"><input type="checkbox" name="everything" value="on"${isEverything ? " checked" : ""}> Everything that an agent may do, whatever is ticked below</label>`
    : "";
  const groups = groupScopes(grantable).map((group) => renderGroup(group, isEverything ? [] : usual));
  return `<fieldset><legend>It may</legend>${everything}${groups.join("")}</fieldset>`;
}

function renderGroup({ title, scopes }: ScopeGroup, ticked: readonly string[]): string {
  const choices = scopes.map(
    ({ scope, says }) =>
      `<label class="choice"><input type="checkbox" name="scope" value="${scope}"${ticked.includes(scope) ? " checked" : ""}> ${scope} <span class="quiet">${says}</span></label>`,
  );
  const isOpen = scopes.some(({ scope }) => ticked.includes(scope));
  return `<details${isOpen ? " open" : ""}><summary>${escapeHtml(title)}</summary>${choices.join("")}</details>`;
}

const amount = (name: string, label: string): string =>
  `<div><label for="${name}">${label}</label><input id="${name}" name="${name}" inputmode="decimal" maxlength="20" placeholder="No limit"></div>`;

/** Where the person is sent, as they know it. */
function sayTarget(redirectUri: string): string {
  const url = URL.parse(redirectUri);
  if (url?.protocol === "https:") return url.host;
  return url?.protocol === "http:" ? "the program on this computer" : `the program that opens ${url?.protocol ?? ""}`;
}

/** Browsers hold a form to this policy also where its answer leads on. The library has checked the address. */
function sayFormTarget(redirectUri: string): string {
  const url = new URL(redirectUri);
  return url.protocol.startsWith("http") ? url.origin : url.protocol;
}
