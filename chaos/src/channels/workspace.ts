import { z } from "zod";
import type { TenantAccess } from "../deployment.ts";

/** The members of a simulated workspace, and where approvers read together. */
export const TRAVELER = "U0TRAVELER";
export const APPROVER = "U0APPROVER";
export const SHARED = "C0APPROVALS";
/** The conversation of a member with the app. */
export const direct = (member: string): string => `D${member.slice(1)}`;

const PATIENCE_MILLISECONDS = 30_000;
const START_MILLISECONDS = 120_000;

const Message = z.object({
  ts: z.string(),
  /** Null: the app wrote it. */
  userId: z.string().nullable(),
  text: z.string(),
  buttons: z.array(z.object({ label: z.string(), value: z.string() })),
  onlyFor: z.string().nullable(),
});
export type Message = z.output<typeof Message>;
const State = z.object({
  slack: z.object({ conversations: z.array(z.object({ id: z.string(), messages: z.array(Message) })) }),
});
const Listed = z.object({ channels: z.array(z.object({ id: z.string() })) });
const Added = z.object({ id: z.string(), setUp: z.object({ playUrl: z.string() }) });

/** A tenant's simulated Slack workspace, played as on its page. All of it rejects while its simulator is away. */
export class Workspace {
  readonly channelId: string;
  readonly playground: string;
  readonly #appUrls: readonly [string, ...string[]];
  readonly #operatorKey: string;
  readonly #controlToken: string;
  #playUrl: URL;

  private constructor(
    at: { appUrls: readonly [string, ...string[]]; operatorKey: string; controlToken: string },
    { id, playUrl, playground }: { id: string; playUrl: URL; playground: string },
  ) {
    this.#appUrls = at.appUrls;
    this.#operatorKey = at.operatorKey;
    this.#controlToken = at.controlToken;
    this.channelId = id;
    this.playground = playground;
    this.#playUrl = playUrl;
  }

  static async add(
    appUrls: readonly [string, ...string[]],
    { operatorKey }: Pick<TenantAccess, "operatorKey">,
    controlToken: string,
  ): Promise<Workspace> {
    const url = `${appUrls[0]}/api/channels`;
    const body = { kind: "slack", approvalsIn: SHARED };
    // It is stored, though its simulator may take long to start on a busy machine.
    await ask(url, operatorKey, "POST", body).catch(() => undefined);
    const added = await untilAnswered(async () => {
      const { channels } = Listed.parse(await ask(url, operatorKey, "GET"));
      return await ask(`${url}/${channels[0]?.id}`, operatorKey, "GET");
    });
    const { id, setUp } = Added.parse(added);
    const playUrl = new URL(setUp.playUrl);
    const found = await ask(`${playBase(playUrl)}/id`, "", "GET");
    const playground = z.object({ id: z.string() }).parse(found).id;
    return new Workspace({ appUrls, operatorKey, controlToken }, { id, playUrl, playground });
  }

  /** The code that proves who a member is when they write it to the app. */
  async issueCode(key: string, kind: string): Promise<string> {
    const answer = await ask(`${this.#appUrls[0]}/api/channels/${this.channelId}/${kind}`, key, "POST", {});
    return z.object({ code: z.string() }).parse(answer).code;
  }

  /** By place. */
  async read(): Promise<ReadonlyMap<string, readonly Message[]>> {
    const { slack } = State.parse(await this.#play("GET", "state"));
    return new Map(slack.conversations.map(({ id, messages }) => [id, messages]));
  }

  async say(userId: string, text: string): Promise<void> {
    await this.#play("POST", "slack/messages", { userId, channel: direct(userId), text });
  }

  async press(userId: string, channel: string, { ts, buttons }: Message, label: string): Promise<void> {
    const value = buttons.find((one) => one.label === label)?.value ?? "";
    await this.#play("POST", "slack/presses", { userId, channel, ts, value });
  }

  async arm(path: string, fault: string): Promise<void> {
    const url = `${this.#playUrl.origin}/_carriers/control/faults`;
    await ask(url, this.#controlToken, "POST", { path, playground: this.playground, fault });
  }

  /** As a person who opens the page anew: a simulator that was killed is there again, and has forgotten everything. */
  async reopen(): Promise<void> {
    for (const url of this.#appUrls) {
      const answer = await ask(`${url}/api/channels/${this.channelId}`, this.#operatorKey, "GET").catch(
        () => undefined,
      );
      const found = Added.safeParse(answer).data;
      if (found === undefined) continue;
      this.#playUrl = new URL(found.setUp.playUrl);
      return;
    }
  }

  async #play(method: string, path: string, body?: object): Promise<unknown> {
    return await ask(`${playBase(this.#playUrl)}/${path}`, "", method, body);
  }
}

async function untilAnswered<Answer>(work: () => Promise<Answer>): Promise<Answer> {
  const deadline = performance.now() + START_MILLISECONDS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (performance.now() > deadline) throw error;
    }
  }
}

const playBase = ({ origin, searchParams }: URL): string => `${origin}/_carriers/play/${searchParams.get("play")}`;

async function ask(url: string, bearer: string, method: string, body?: object): Promise<unknown> {
  const response = await fetch(url, {
    method,
    headers: {
      "content-type": "application/json",
      ...(bearer === "" ? {} : { authorization: `Bearer ${bearer}` }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(PATIENCE_MILLISECONDS),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${new URL(url).pathname} was answered ${response.status}: ${text}`);
  return JSON.parse(text);
}
