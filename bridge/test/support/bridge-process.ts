import { spawn } from "node:child_process";
import { join } from "node:path";

export const BRIDGE = join(import.meta.dirname, "../../src/main.mjs");

export interface Message {
  jsonrpc?: string;
  id?: string | number | null;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: { code: number; message: string; data?: Record<string, unknown> };
}

/** The bridge as a client starts it, with a look at every line that it writes. */
export function startBridge(environment: Record<string, string> = {}, words: readonly string[] = []) {
  const child = spawn(process.execPath, [BRIDGE, ...words], { env: environment, stdio: ["pipe", "pipe", "pipe"] });
  const seen = { output: "", errors: "" };
  const waiting = new Set<() => void>();
  const notice = () => {
    for (const look of [...waiting]) look();
  };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    seen.output += text;
    notice();
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    seen.errors += text;
  });
  const exitCode = new Promise<number | null>((resolve) => child.once("close", (code) => resolve(code)));
  // Everything on standard output must be a message.
  const messages = (): Message[] =>
    seen.output
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line));

  const until = (fits: (message: Message) => boolean): Promise<Message> =>
    new Promise((resolve) => {
      const look = () => {
        const found = messages().find(fits);
        if (found === undefined) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      look();
    });

  return {
    seen,
    messages,
    exitCode,
    writeLine: (line: string) => child.stdin.write(`${line}\n`),
    send: (message: Message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`),
    /** The answer to the request of this id. */
    answer: (id: Message["id"]) => until((message) => message.id === id && message.method === undefined),
    notification: (method: string) => until((message) => message.method === method),
    end: () => child.stdin.end(),
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await exitCode;
    },
  };
}
