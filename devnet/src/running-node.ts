import type { AnvilNode } from "./anvil.ts";
import { readAnswer } from "./json-rpc.ts";
import { requireResult } from "./node-answers.ts";
import type { NodeLane } from "./node-lane.ts";
import { createNodeReader, type NodeReader } from "./node-reader.ts";

/** The node that answers now; another one can take its place. */
export class RunningNode {
  #node: AnvilNode;
  #reader: NodeReader;
  readonly #onEnded: (reason: string) => void;

  /** @param onEnded its process is gone, though nobody has replaced it. */
  constructor(node: AnvilNode, onEnded: (reason: string) => void) {
    this.#onEnded = onEnded;
    this.#node = node;
    this.#reader = createNodeReader(node.address);
    this.#watch(node);
  }

  get lane(): NodeLane {
    return this.#node.lane;
  }

  read(body: string): Promise<Buffer> {
    return this.#reader.read(body);
  }

  /** The result of one read. */
  async ask(method: string, params: readonly unknown[]): Promise<unknown> {
    const answered = await this.#reader.read(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }));
    return requireResult(readAnswer(JSON.parse(answered.toString())));
  }

  /** The previous node answers its pending questions. */
  replace(node: AnvilNode): void {
    const [before, reader] = [this.#node, this.#reader];
    this.#node = node;
    this.#reader = createNodeReader(node.address);
    this.#watch(node);
    void reader.idle().then(() => end(before, reader));
  }

  async stop(): Promise<void> {
    end(this.#node, this.#reader);
    await this.#node.ended;
  }

  #watch(node: AnvilNode): void {
    void node.ended.then((reason) => {
      if (node === this.#node) this.#onEnded(`the node ended (${reason})`);
    });
  }
}

function end({ lane, kill }: AnvilNode, reader: NodeReader): void {
  reader.close();
  lane.close();
  kill();
}
