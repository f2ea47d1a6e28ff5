import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { Failure } from "../../../domain/errors.ts";
import { BodyBytes, endedTooEarly, tooLarge } from "./body-bytes.ts";
import type { BodyPlace, BodyRoom, BodySender } from "./body-room.ts";

/** Many clients send the body right after the headers. A body this short that comes so soon needs no place. */
const SMALL_BYTES = 16 * 1024;
const SOON_MILLISECONDS = 250;
/** A larger body is a document, which is kept until it was read: such a body has its place until the request is answered. */
const LARGE_BYTES = 256 * 1024;

export interface BodyLimits {
  room: BodyRoom;
  /** How long a body may take. */
  slowestBodyMilliseconds: number;
}

/** Runs the callback when the request has been answered, or its caller is gone. */
type AfterAnswer = (leave: () => void) => void;

/** A request of any HTTP version. */
type Incoming = Readable & Pick<IncomingMessage, "headers" | "complete">;

/**
 * The body as text. Throws Failure for one that is too large, too slow, or finds no room. `afterAnswer`: omitted where large
 * bodies are not read.
 */
export function readBody(
  incoming: Incoming,
  maximumBytes: number,
  sender: () => BodySender,
  limits: BodyLimits,
  afterAnswer?: AfterAnswer,
): Promise<string> {
  if (Number(incoming.headers["content-length"] ?? 0) > maximumBytes) return Promise.reject(tooLarge(maximumBytes));
  return new Promise((resolve, reject) => {
    const body = new BodyBytes(maximumBytes);
    let waiting: Waiting | undefined;
    const refuse = (error: unknown) => {
      // Later reads, which discard data, do not add to this body.
      incoming.off("data", onData).off("close", onLeft).pause();
      waiting?.end();
      reject(error);
    };
    const onLeft = () => refuse(endedTooEarly());
    const onData = (chunk: Buffer) => {
      try {
        body.add(chunk);
        waiting?.grow();
      } catch (error) {
        refuse(error);
      }
    };
    if (!incoming.complete) {
      waiting = new Waiting(body, sender, limits, refuse);
      incoming.on("close", onLeft);
    }
    incoming.on("data", onData);
    incoming.on("end", () => {
      // Its close no longer means that the client left.
      incoming.off("close", onLeft);
      if (afterAnswer !== undefined && body.length > LARGE_BYTES) waiting?.stay(afterAnswer);
      else waiting?.end();
      try {
        resolve(body.text());
      } catch (error) {
        reject(error);
      }
    });
    incoming.on("error", onLeft);
  });
}

/** A body that was incomplete at its first read. */
class Waiting {
  readonly #body: BodyBytes;
  readonly #sender: () => BodySender;
  readonly #limits: BodyLimits;
  readonly #refuse: (error: unknown) => void;
  #timer: NodeJS.Timeout;
  #place: BodyPlace | undefined;

  constructor(body: BodyBytes, sender: () => BodySender, limits: BodyLimits, refuse: (error: unknown) => void) {
    this.#body = body;
    this.#sender = sender;
    this.#limits = limits;
    this.#refuse = refuse;
    this.#timer = setTimeout(() => this.#isLate(), SOON_MILLISECONDS);
  }

  /** Throws Failure if there is no room for it. */
  grow(): void {
    const { heldBytes } = this.#body;
    if (this.#place === undefined && heldBytes <= SMALL_BYTES) return;
    this.#place ??= this.#limits.room.enter(this.#sender());
    this.#place.grow(heldBytes);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#place?.leave();
  }

  /** It has arrived. */
  stay(afterAnswer: AfterAnswer): void {
    clearTimeout(this.#timer);
    const place = this.#place;
    if (place === undefined) return;
    place.grow(this.#body.length);
    afterAnswer(() => place.leave());
  }

  #isLate(): void {
    const { room, slowestBodyMilliseconds } = this.#limits;
    try {
      this.#place ??= room.enter(this.#sender());
      this.#place.grow(this.#body.heldBytes);
      this.#timer = setTimeout(() => this.#refuse(tooSlow(slowestBodyMilliseconds)), slowestBodyMilliseconds);
    } catch (error) {
      this.#refuse(error);
    }
  }
}

function tooSlow(milliseconds: number): Failure {
  return new Failure("request_timeout", {
    detail: `The body did not arrive within ${milliseconds / 1_000} s. Send it without a pause.`,
  });
}
