interface Kept {
  body: Buffer;
  readAtMilliseconds: number;
  freshUntilMilliseconds: number;
}

/** Caches answers by address, up to a number of bytes; the least recently used go first. */
export class BodyCache {
  readonly #maximumBytes: number;
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;

  constructor(maximumBytes: number) {
    this.#maximumBytes = maximumBytes;
  }

  get(key: string, nowMilliseconds: number): Kept | undefined {
    const found = this.#kept.get(key);
    if (found === undefined) return undefined;
    this.#remove(key, found);
    if (nowMilliseconds >= found.freshUntilMilliseconds) return undefined;
    this.#add(key, found);
    return found;
  }

  set(key: string, kept: Kept): void {
    const before = this.#kept.get(key);
    if (before !== undefined) this.#remove(key, before);
    this.#add(key, kept);
    for (const [oldest, { body }] of this.#kept) {
      if (this.#bytes <= this.#maximumBytes) break;
      this.#kept.delete(oldest);
      this.#bytes -= weigh(oldest, body);
    }
  }

  #add(key: string, kept: Kept): void {
    this.#kept.set(key, kept);
    this.#bytes += weigh(key, kept.body);
  }

  #remove(key: string, { body }: Kept): void {
    this.#kept.delete(key);
    this.#bytes -= weigh(key, body);
  }
}

const weigh = (key: string, body: Buffer): number => key.length * 2 + body.byteLength;
