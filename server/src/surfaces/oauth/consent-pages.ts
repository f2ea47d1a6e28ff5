import type Provider from "oidc-provider";
import { parseDecimal } from "../../domain/money.ts";
import { SIGN_IN_PATH } from "../../domain/page-paths.ts";
import { EVERYTHING, personalScopes } from "../../domain/scopes.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ConnectedAgents } from "../../ports/connected-agents.ts";
import type { SignedIn, SignIn } from "../../ports/sign-in.ts";
import type { Routes } from "../http/hosts.ts";
import type { HttpAnswer, HttpHandler, HttpRequest } from "../http/http.ts";
import { paragraph, redirect, renderPage } from "../sign-in/render-page.ts";
import { createSessionCookies, csrfToken, isCsrfToken, readCookie } from "../sign-in/session-cookies.ts";
import { type AskingClient, describeClient, LIFE_DAYS, nameTenant, renderConsent } from "./consent-form.ts";
import { CONSENT_PATH } from "./paths.ts";
import { agentScopes, listGrantable } from "./scopes.ts";

export interface ConsentOptions {
  provider: () => Promise<Provider>;
  agents: Pick<ConnectedAgents, "allow">;
  signIn: Pick<SignIn, "find" | "memberships">;
  issuer: string;
  clock: Clock;
}

type Interaction = InstanceType<Provider["Interaction"]>;

/** A person who may allow what the program asks for. */
interface Asked {
  request: HttpRequest;
  options: ConsentOptions;
  provider: Provider;
  interaction: Interaction;
  client: AskingClient;
  session: string;
  signedIn: SignedIn;
}

const LARGEST_FORM_BYTES = 16_384;
const LARGEST_AMOUNT = 2n ** 63n - 1n;
const OFFLINE = "offline_access";

/** The page on which a person allows an agent to act for them. It works without script. */
export function consentPages(options: ConsentOptions): Routes {
  const { host, origin } = new URL(options.issuer);
  const show: HttpHandler = async (request) => {
    if (request.header("host") !== host) return redirect(`${origin}${request.path}`);
    const tenant = request.query.get("tenant") ?? undefined;
    const asked = await openRequest(options, request, tenant);
    return "status" in asked ? asked : await showConsent(asked);
  };
  const answer: HttpHandler = async (request) => {
    const site = request.header("sec-fetch-site");
    if (request.header("host") !== host || request.header("origin") !== origin) return foreignForm();
    if (site !== undefined && site !== "same-origin") return foreignForm();
    const sent = new URLSearchParams(await request.text(LARGEST_FORM_BYTES));
    const asked = await openRequest(options, request, sent.get("tenant") ?? undefined);
    if ("status" in asked) return asked;
    if (!isCsrfToken(sent.get("csrf"), asked.session)) return foreignForm();
    return sent.get("answer") === "allow" ? await allow(asked, sent) : await refuse(asked);
  };
  return [
    { method: "GET", path: `${CONSENT_PATH}/:uid`, handler: show },
    { method: "POST", path: `${CONSENT_PATH}/:uid`, handler: answer },
  ];
}

/** The request of the program, as long as the browser that began it asks; or the page that comes first. */
async function openRequest(
  options: ConsentOptions,
  request: HttpRequest,
  tenant: string | undefined,
): Promise<Asked | HttpAnswer> {
  const provider = await options.provider();
  const uid = request.path.slice(CONSENT_PATH.length + 1);
  const cookies = request.header("cookie");
  // A link that somebody sends to somebody else opens nothing: the code would come to who began.
  const isOwn = readCookie(cookies, provider.cookieName("interaction")) === uid;
  const interaction = isOwn ? await provider.Interaction.find(uid) : undefined;
  if (interaction === undefined) return expired();
  const { client_id: clientId, redirect_uri: redirectUri } = interaction.params;
  const known = typeof clientId === "string" ? await provider.Client.find(clientId) : undefined;
  if (known === undefined || typeof redirectUri !== "string") return expired();
  const session = createSessionCookies(options.issuer).readSession(cookies);
  const signedIn = session === undefined ? undefined : await options.signIn.find(session, tenant);
  const next = encodeURIComponent(request.path);
  if (session === undefined || signedIn === undefined) return redirect(`${SIGN_IN_PATH}?next=${next}`);
  // As for a key: it will act long after this session.
  if (signedIn.principal.signInAgain === true) return redirect(`${SIGN_IN_PATH}?again=1&next=${next}`);
  const client = describeClient({ id: known.clientId, name: known.clientName, redirectUri });
  return { request, options, provider, interaction, client, session, signedIn };
}

async function showConsent(asked: Asked, error?: string): Promise<HttpAnswer> {
  const { request, options, interaction, client, session, signedIn } = asked;
  const { member } = signedIn;
  const scopes = readScopes(interaction);
  const memberships = await options.signIn.memberships(session);
  return renderConsent({
    path: request.path,
    csrf: csrfToken(session),
    client,
    member,
    others: memberships.filter((other) => nameTenant(other) !== nameTenant(member)),
    grantable: listGrantable(scopes, signedIn.principal.scopes),
    isOpenAsked: scopes.length === agentScopes.length,
    error,
  });
}

async function allow(asked: Asked, sent: URLSearchParams): Promise<HttpAnswer> {
  const { options, provider, interaction, client, signedIn } = asked;
  // Sent twice: the first one counts.
  if (interaction.result !== undefined) return goOn(interaction);
  const scopes = readScopes(interaction);
  const grantable = listGrantable(scopes, signedIn.principal.scopes);
  const chosen = sent.get("everything") === "on" ? [EVERYTHING] : [...new Set(sent.getAll("scope"))];
  const granted = chosen.filter((scope) => grantable.includes(scope) && !personalScopes.includes(scope));
  if (granted.length === 0) return await showConsent(asked, "Tick what the program may do, or refuse.");
  const [perCall, perDay] = [readAmount(sent.get("perCall")), readAmount(sent.get("perDay"))];
  if (perCall === "wrong" || perDay === "wrong") {
    return await showConsent(asked, "Enter amounts such as 250 or 99.50, or leave them empty.");
  }
  const days = LIFE_DAYS.find((one) => String(one) === sent.get("days"));
  if (days === undefined) return await showConsent(asked, "Choose when it ends.");
  const { tenantId, environment, personId } = signedIn.member;
  const resource = readResource(interaction);
  const keyId = await options.agents.allow({
    member: { tenantId, environment, personId },
    client: { id: client.id, name: client.name, host: client.host },
    resource,
    scopes: granted,
    limits: { perCall, perDay },
    expiresAt: options.clock.now().add({ hours: days * 24 }),
  });
  if (keyId === undefined) {
    return await showConsent(asked, "You have connected too many agents. End some of them in the dashboard first.");
  }
  const grant = new provider.Grant({ accountId: keyId, clientId: client.id });
  // The library asks again until the person has decided on each scope, both of the server and of the resource.
  grant.addOIDCScope([OFFLINE, ...granted].join(" "));
  grant.addResourceScope(resource, granted.join(" "));
  const rest = scopes.filter((scope) => !granted.includes(scope)).join(" ");
  if (rest !== "") {
    grant.rejectOIDCScope(rest);
    grant.rejectResourceScope(resource, rest);
  }
  const grantId = await grant.save();
  const login = { accountId: keyId, remember: false };
  interaction.result = { login, consent: { grantId }, signIn: signedIn.sessionId };
  await interaction.persist();
  return goOn(interaction);
}

async function refuse({ interaction }: Asked): Promise<HttpAnswer> {
  if (interaction.result === undefined) {
    interaction.result = { error: "access_denied", error_description: "The person refused." };
    await interaction.persist();
  }
  return goOn(interaction);
}

const goOn = ({ returnTo }: Interaction): HttpAnswer => redirect(new URL(returnTo).pathname);

function readScopes({ params }: Interaction): readonly string[] {
  const asked = typeof params.scope === "string" ? params.scope.split(" ") : [];
  return asked.filter((scope) => agentScopes.includes(scope));
}

function readResource({ params: { resource } }: Interaction): string {
  const one: unknown = Array.isArray(resource) ? resource[0] : resource;
  if (typeof one !== "string") throw new Error("A request for an authorization names no resource.");
  return one;
}

function readAmount(text: string | null): bigint | undefined | "wrong" {
  const given = (text ?? "").trim();
  if (given === "") return undefined;
  const amount = parseDecimal(given);
  return amount === undefined || amount > LARGEST_AMOUNT ? "wrong" : amount;
}

function expired(): HttpAnswer {
  return renderPage({
    title: "This request has expired",
    body: paragraph(
      "It is not of this browser, or it was open for too long. Start again from the program that you want to connect.",
    ),
    status: 404,
  });
}

function foreignForm(): HttpAnswer {
  return renderPage({
    title: "This form has expired",
    body: paragraph("It was open for too long, or another page sent it. Nothing was allowed."),
    status: 403,
  });
}
