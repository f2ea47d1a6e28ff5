import { z } from "zod";
import type { Deployment } from "../deployment.ts";
import type { Random } from "../random.ts";

const PATIENCE_MILLISECONDS = 8_000;
const DECIDES = ["approvals:read", "approvals:decide"];
const TOKEN_DESK = "chaos desk";

/** `asker` may decide what others ask for, and `finance` has another role than the policy names. */
const people = [
  { name: "approver", roles: ["approver"], scopes: DECIDES },
  { name: "boss", roles: ["admin"], scopes: DECIDES },
  { name: "finance", roles: ["finance"], scopes: DECIDES },
  { name: "asker", roles: ["booker", "approver"], scopes: ["*", ...DECIDES] },
] as const;

const chaosId = (name: string): string => `chaos_${name}`;
export const ASKER_ID = chaosId("asker");
export const WITHOUT_ROLE_ID = chaosId("finance");

const ways = ["approver key", "approver link", "boss key", "boss link", "asker key", "finance key", "token"] as const;
type Way = (typeof ways)[number];
export type Verb = "approve" | "reject" | "revoke";

const Problem = z.object({
  code: z.string(),
  state: z.string().optional(),
  decidedBy: z.string().nullish(),
});
const Decided = z.object({ state: z.string(), decidedBy: z.string().nullable() });
const Listed = z.object({ approvals: z.array(z.object({ approvalId: z.string(), link: z.string().nullable() })) });

/** The answer to a person who decided. */
export interface Told {
  approvalId: string;
  verb: Verb;
  /** It counts. Otherwise somebody else's does, and this says whose. */
  counts: boolean;
  by: string | null | undefined;
  state: string | undefined;
}

/** Everybody who decides about calls of the demo tenant, or tries to: with a key, by a link, by the internal token. */
export class Desk {
  readonly told: Told[] = [];
  readonly codes = new Map<string, number>();
  /** The key of the person who asks and approves. */
  readonly askerKey: string;
  readonly #appUrl: string;
  readonly #bearers: ReadonlyMap<string, string>;

  private constructor(appUrl: string, bearers: ReadonlyMap<string, string>, askerKey: string) {
    this.#appUrl = appUrl;
    this.#bearers = bearers;
    this.askerKey = askerKey;
  }

  static async open(deployment: Deployment): Promise<Desk> {
    const { appUrl, internalToken } = deployment.quickstart();
    const bearers = new Map([["token", internalToken]]);
    for (const { name, roles, scopes } of people) {
      const person = { id: chaosId(name), name: chaosId(name), email: `${name}@chaos.example`, roles };
      bearers.set(name, await deployment.addPerson(person, scopes));
    }
    return new Desk(appUrl, bearers, bearers.get("asker") ?? "");
  }

  /** So many, over all ways, at the same moment. */
  async decide(approvalId: string, verbs: readonly Verb[], random: Random, asked: "by asker" | "by agent") {
    const chosen = verbs.map((verb) => ({ verb, way: random.pick(ways) }));
    const byLink = new Set(chosen.filter(({ way }) => way.endsWith("link")).map(({ way }) => way));
    const links = new Map<Way, string>();
    for (const way of byLink) links.set(way, await this.#linkFor(way, approvalId));
    await Promise.all(chosen.map((one) => this.#tell(approvalId, one, links.get(one.way), asked)));
  }

  async revoke(approvalId: string): Promise<void> {
    await this.#tell(approvalId, { verb: "revoke", way: "boss key" }, undefined, "by agent");
  }

  async #tell(
    approvalId: string,
    { verb, way }: { verb: Verb; way: Way },
    link: string | undefined,
    asked: "by asker" | "by agent",
  ): Promise<void> {
    const reason = verb === "reject" ? { reason: "Chaos says no." } : {};
    const approvedBy = asked === "by asker" ? ASKER_ID : TOKEN_DESK;
    const path = `/api/approvals/${approvalId}/decision`;
    const answer =
      link === undefined || link === ""
        ? await this.#send(path, nameIn(way), {
            decision: verb,
            ...reason,
            // A token that says for whom: at times for who asked.
            ...(way === "token" ? { approvedBy } : {}),
          })
        : await this.#send(`/api/approval-links/${approvalId}`, undefined, {
            personId: chaosId(nameIn(way)),
            linkSecret: new URL(link).hash.slice(1),
            decision: verb,
            ...reason,
          });
    if (answer === undefined) return this.#count("(lost)");
    const { status, body } = answer;
    if (status === 200) {
      const { state, decidedBy } = Decided.parse(body);
      this.told.push({ approvalId, verb, counts: true, by: decidedBy, state });
      return this.#count("ok");
    }
    const { code, state, decidedBy } = Problem.parse(body);
    this.#count(code);
    if (code === "conflict") this.told.push({ approvalId, verb, counts: false, by: decidedBy, state });
  }

  /** Empty: it is not listed any more, or nobody answers. */
  async #linkFor(way: Way, approvalId: string): Promise<string> {
    const answer = await this.#send("/api/approvals?limit=100", nameIn(way));
    const listed = Listed.safeParse(answer?.body).data?.approvals ?? [];
    return listed.find((one) => one.approvalId === approvalId)?.link ?? "";
  }

  async #send(path: string, name: string | undefined, body?: object) {
    const bearer = name === undefined ? undefined : this.#bearers.get(name);
    try {
      const response = await fetch(`${this.#appUrl}${path}`, {
        headers: {
          "content-type": "application/json",
          ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
        },
        ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(PATIENCE_MILLISECONDS),
      });
      return { status: response.status, body: z.unknown().parse(await response.json()) };
    } catch {
      return undefined;
    }
  }

  #count(code: string): void {
    this.codes.set(code, (this.codes.get(code) ?? 0) + 1);
  }
}

const nameIn = (way: Way): string => way.split(" ")[0] ?? way;
