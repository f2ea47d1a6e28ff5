import { Failure } from "../../../domain/errors.ts";

/** A limit on bodies and bytes held at once. */
interface Room {
  bodies: number;
  bytes: number;
}

const MEGABYTE = 1024 * 1024;
const MOST_BODIES = 1_024;
/** An address or a tenant gets at most a quarter of all room, so that none blocks the others. */
const SHARE_OF_ONE = 4;
/** All callers without a key together get this share, so that callers with a key always find room. */
const SHARE_OF_STRANGERS = 2;

/** The sender of a body. */
export interface BodySender {
  /** A group of addresses, see client-address.ts. */
  address: string;
  /** Undefined: no key was shown yet. */
  tenantId: string | undefined;
}

class Tally {
  readonly #room: Room;
  readonly #refusal: () => Failure;
  #bodies = 0;
  #bytes = 0;

  constructor(room: Room, refusal: () => Failure) {
    this.#room = room;
    this.#refusal = refusal;
  }

  get isEmpty(): boolean {
    return this.#bodies === 0;
  }

  check({ bodies, bytes }: Room): void {
    const fits = this.#bodies + bodies <= this.#room.bodies && this.#bytes + bytes <= this.#room.bytes;
    if (!fits) throw this.#refusal();
  }

  add({ bodies, bytes }: Room): void {
    this.#bodies += bodies;
    this.#bytes += bytes;
  }
}

/** The place of a body that has not arrived completely. */
export class BodyPlace {
  readonly #tallies: readonly Tally[];
  readonly #onLeft: () => void;
  #bytes = 0;
  #hasLeft = false;

  constructor(tallies: readonly Tally[], onLeft: () => void) {
    this.#tallies = tallies;
    this.#onLeft = onLeft;
    this.#change({ bodies: 1, bytes: 0 });
  }

  /** Records the memory that it takes by now. Throws `rate_limited` or `unavailable` if there is no room for it. */
  grow(bytes: number): void {
    this.#change({ bodies: 0, bytes: bytes - this.#bytes });
    this.#bytes = bytes;
  }

  leave(): void {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    for (const tally of this.#tallies) tally.add({ bodies: -1, bytes: -this.#bytes });
    this.#onLeft();
  }

  #change(change: Room): void {
    for (const tally of this.#tallies) tally.check(change);
    for (const tally of this.#tallies) tally.add(change);
  }
}

/**
 * Limits the memory of arriving request bodies in a process: per address, per tenant, for all callers without a key, and in
 * total. Small bodies that arrive with their headers or right after them take no place; large ones keep theirs until they are
 * answered, as long as their contents are held.
 */
export class BodyRoom {
  readonly #ofOne: Room;
  readonly #all: Tally;
  readonly #strangers: Tally;
  /** The tallies of senders with a place. */
  readonly #senders = new Map<string, Tally>();

  constructor(megabytes: number) {
    const bytes = megabytes * MEGABYTE;
    const share = (part: number): Room => ({ bodies: Math.floor(MOST_BODIES / part), bytes: Math.floor(bytes / part) });
    this.#ofOne = share(SHARE_OF_ONE);
    this.#all = new Tally(share(1), noRoom);
    this.#strangers = new Tally(share(SHARE_OF_STRANGERS), noRoom);
  }

  /** Throws `rate_limited` or `unavailable` if there is no room for another body. */
  enter({ address, tenantId }: BodySender): BodyPlace {
    const names = [`address ${address}`, ...(tenantId === undefined ? [] : [`tenant ${tenantId}`])];
    const senders = names.map((name) => this.#senders.get(name) ?? new Tally(this.#ofOne, tooMany));
    const place = new BodyPlace([...senders, ...(tenantId === undefined ? [this.#strangers] : []), this.#all], () => {
      for (const [at, name] of names.entries()) if (senders[at]?.isEmpty) this.#senders.delete(name);
    });
    for (const [at, name] of names.entries()) {
      const sender = senders[at];
      if (sender !== undefined) this.#senders.set(name, sender);
    }
    return place;
  }
}

const RETRY_AFTER_SECONDS = 5;

function tooMany(): Failure {
  return new Failure("rate_limited", {
    detail: `Too many of your request bodies are still arriving, or contain documents that are not answered yet. Send each body without a pause, and send this request again after ${RETRY_AFTER_SECONDS} s.`,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}

function noRoom(): Failure {
  return new Failure("unavailable", {
    detail: `The service has no room for another request body that arrives slowly or contains a document. Send the request again after ${RETRY_AFTER_SECONDS} s.`,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
