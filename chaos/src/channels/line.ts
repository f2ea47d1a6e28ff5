import { z } from "zod";
import type { TenantAccess } from "../deployment.ts";

const PATIENCE_MILLISECONDS = 30_000;
const START_MILLISECONDS = 120_000;

export type LineKind = "slack" | "whatsapp" | "email";

/** A message as a person sees it. */
export interface Shown {
  readonly id: string;
  readonly text: string;
  /** False: the app wrote it. */
  readonly isOwn: boolean;
  /** Or links, where there are no buttons. */
  readonly buttons: readonly { readonly label: string; readonly value: string }[];
  /** Set: nobody else sees it, and it is not kept. */
  readonly onlyFor: string | null;
}

/** A question for the approver, in one of the places where they read it. */
export interface Card {
  readonly place: string;
  readonly message: Shown;
}

export interface Seen {
  /** The traveler's own messages and those to them, as they came. */
  readonly talk: readonly Shown[];
  /** Those that are not decided, where that shows. */
  readonly cards: readonly Card[];
  /** Those to the guest of a trip. */
  readonly guest: readonly Shown[];
  /** In all places. */
  readonly all: readonly Shown[];
}

const Listed = z.object({ channels: z.array(z.object({ id: z.string() })) });
const Added = z.object({ id: z.string(), setUp: z.object({ playUrl: z.string() }) });

export interface LineOptions {
  readonly appUrls: readonly [string, ...string[]];
  readonly operatorKey: string;
  readonly controlToken: string;
  readonly channelId: string;
  readonly playUrl: URL;
  readonly playground: string;
}

/** A tenant's simulated channel, played as on its page. All of it rejects while the simulator is away. */
export abstract class Line {
  abstract readonly kind: LineKind;
  /** Where the approver is asked. */
  abstract readonly places: readonly string[];
  /** The names that the channel may have for the traveler. */
  abstract readonly travelerNames: readonly string[];
  /** How the approver proves who they are; undefined: their address is enough. */
  abstract readonly approverCodes: string | undefined;
  /** A guest who can be sent a trip's link; undefined: nobody. */
  abstract readonly guestAddress: string | undefined;
  readonly channelId: string;
  readonly #options: LineOptions;
  #playUrl: URL;

  constructor(options: LineOptions) {
    this.#options = options;
    this.channelId = options.channelId;
    this.#playUrl = options.playUrl;
  }

  abstract read(): Promise<Seen>;
  abstract say(who: "traveler" | "approver", text: string): Promise<void>;
  abstract answer(question: Shown, label: string): Promise<void>;
  abstract decide(card: Card, label: "Approve" | "Reject"): Promise<void>;
  abstract readonly faults: readonly [Fault, ...Fault[]];

  get appUrl(): string {
    return this.#options.appUrls[0];
  }

  async arm([path, fault, times = 1]: Fault): Promise<void> {
    const url = `${this.#playUrl.origin}/_carriers/control/faults`;
    const { controlToken, playground } = this.#options;
    await ask(url, controlToken, "POST", { path, playground, fault, times });
  }

  /** The code that proves who somebody is when they write it to the app. */
  async issueCode(key: string, kind: string): Promise<string> {
    const answer = await ask(`${this.appUrl}/api/channels/${this.channelId}/${kind}`, key, "POST", {});
    return z.object({ code: z.string() }).parse(answer).code;
  }

  /** As a person who opens the page anew: a simulator that was killed is there again, and has forgotten everything. */
  async reopen(): Promise<void> {
    const { appUrls, operatorKey } = this.#options;
    for (const url of appUrls) {
      const answer = await ask(`${url}/api/channels/${this.channelId}`, operatorKey, "GET").catch(() => undefined);
      const found = Added.safeParse(answer).data;
      if (found === undefined) continue;
      this.#playUrl = new URL(found.setUp.playUrl);
      return;
    }
  }

  protected async play(method: string, path: string, body?: object): Promise<unknown> {
    return await ask(`${playBase(this.#playUrl)}/${path}`, "", method, body);
  }
}

/** `times`: how many requests or events in a row meet it. */
export type Fault = readonly [path: string, fault: string, times?: number];

/** Adds a simulated channel to a tenant. */
export async function addChannel(
  appUrls: readonly [string, ...string[]],
  { operatorKey }: Pick<TenantAccess, "operatorKey">,
  controlToken: string,
  body: object,
): Promise<LineOptions> {
  const url = `${appUrls[0]}/api/channels`;
  // It is stored, though its simulator may take long to start on a busy machine.
  await ask(url, operatorKey, "POST", body).catch(() => undefined);
  const added = await untilAnswered(async () => {
    const { channels } = Listed.parse(await ask(url, operatorKey, "GET"));
    return await ask(`${url}/${channels[0]?.id}`, operatorKey, "GET");
  });
  const { id: channelId, setUp } = Added.parse(added);
  const playUrl = new URL(setUp.playUrl);
  const found = await ask(`${playBase(playUrl)}/id`, "", "GET");
  const playground = z.object({ id: z.string() }).parse(found).id;
  return { appUrls, operatorKey, controlToken, channelId, playUrl, playground };
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

export async function ask(url: string, bearer: string, method: string, body?: object): Promise<unknown> {
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
