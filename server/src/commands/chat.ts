import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import { z } from "zod";
import { readConfig } from "../config/config.ts";
import { type ChatEvent, issueCode, redeemCode, type Service, sayTo, stopTurn } from "./chat-stream.ts";
import { type Arguments, type Command, type Program, type Report, UsageError } from "./command-line.ts";
import { runAsCommand } from "./run-as-command.ts";

/** A terminal, or a program that sends a message a line. */
export interface Terminal {
  /** Undefined: there is no further message. */
  ask(): Promise<string | undefined>;
  write(text: string): void;
  /** Calls this when the user wants to stop the turn. */
  onInterrupt(stop: (() => void) | undefined): void;
}

interface Context {
  terminal: Terminal;
  dataDir: string;
}

const Quickstart = z.object({ appUrl: z.string(), apiKey: z.string() });

const chat: Command<Context> = {
  name: "",
  summary:
    "Talk to the travel agent. It shows the tools that it calls and asks before it spends: answer yes or no. Ctrl+C stops a turn; at the prompt, it quits.",
  usage: "[--locale <tag>] [--conversation <id>] [--user <userId>] [--url <address> --key <API key>]",
  positionals: [],
  options: {
    locale: { type: "string" },
    conversation: { type: "string" },
    user: { type: "string" },
    url: { type: "string" },
    key: { type: "string" },
  },
  prepare(args) {
    if ((args.text("url") === undefined) !== (args.text("key") === undefined)) {
      throw new UsageError("Use --url and --key together.");
    }
    return async ({ terminal, dataDir }) => {
      const service = findService(args, dataDir);
      return await converse(service, terminal, {
        conversationId: args.text("conversation"),
        locale: args.text("locale"),
        userId: args.text("user"),
      });
    };
  },
};

function findService(args: Arguments, dataDir: string): Service {
  const url = args.text("url");
  const key = args.text("key");
  if (url !== undefined && key !== undefined) return { url: url.replace(/\/$/, ""), key };
  const path = join(dataDir, "quickstart.json");
  if (!existsSync(path)) throw new UsageError(`There is no ${path}: start the service first, or pass --url and --key.`);
  const { appUrl, apiKey } = Quickstart.parse(JSON.parse(readFileSync(path, "utf8")));
  return { url: appUrl, key: apiKey };
}

interface Asked {
  conversationId: string | undefined;
  locale: string | undefined;
  userId: string | undefined;
}

async function converse(service: Service, terminal: Terminal, asked: Asked): Promise<Report> {
  let { conversationId } = asked;
  const { locale, userId } = asked;
  for (;;) {
    const text = (await terminal.ask())?.trim();
    if (text === undefined) break;
    if (text === "") continue;
    if (text.startsWith("/")) {
      terminal.write(`${await obey(service, text, userId)}\n`);
      continue;
    }
    const leave = new AbortController();
    let isRunning = false;
    terminal.onInterrupt(() => {
      // There is no turn to stop before it has begun, or after it was told to stop.
      if (!isRunning || conversationId === undefined) leave.abort();
      else void stopTurn(service, conversationId).catch(() => undefined);
      isRunning = false;
    });
    const onAway = () => terminal.write(`  [The service at ${service.url} does not answer: trying again]\n`);
    const said = { channel: "web", text, locale, userId, conversationId };
    for await (const event of sayTo(service, said, { onAway, signal: leave.signal })) {
      if (event.type === "turn_started") {
        conversationId = String(event.conversationId);
        isRunning = true;
      }
      terminal.write(showEvent(event));
    }
    terminal.onInterrupt(undefined);
    if (leave.signal.aborted) break;
  }
  const text =
    conversationId === undefined
      ? "Nothing was said."
      : `To continue this conversation: npm run chat -- --conversation ${conversationId}`;
  return { text, json: { conversationId: conversationId ?? null } };
}

const HELP = "/link shows a code for another key; /link <code> redeems one. Everything else goes to the agent.";

/** Returns what the terminal shows. */
async function obey(service: Service, text: string, userId: string | undefined): Promise<string> {
  const [command, code] = text.split(/\s+/);
  if (command !== "/link") return HELP;
  try {
    if (code === undefined) {
      const issued = await issueCode(service, userId);
      return `The code is ${issued.code}. It can be used once, until ${issued.expiresAt}.`;
    }
    return `You now share the conversations of ${await redeemCode(service, code)}.`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const say = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

/** By the clock of this computer. */
const sayTime = (instant: string): string =>
  new Intl.DateTimeFormat(undefined, { timeStyle: "short" }).format(new Date(instant));

/** Empty: nothing to show. */
function showEvent(event: ChatEvent): string {
  switch (event.type) {
    case "reply_delta":
      return say(event.text);
    case "tool_call":
      return `  [${say(event.tool)} ${say(event.args)}]\n`;
    case "tool_result":
      return event.outcome === "failed" ? `  [${say(event.tool)} failed: ${say(Object(event.problem).detail)}]\n` : "";
    case "confirmation_requested":
      // The reply says what it is about.
      return `\n  [yes or no until ${sayTime(say(event.expiresAt))}]`;
    case "approval_requested":
      return showLines([
        ["approval", event.tool],
        ["by", listTexts(event.approvers)],
      ]);
    case "question":
      return Array.isArray(event.choices) ? `\n  ${event.choices.map(String).join(" | ")}` : "";
    case "turn_ended":
      return event.problem === undefined ? "\n" : `\n  [${say(Object(event.problem).detail)}]\n`;
    default:
      return "";
  }
}

/** Texts, or what the members of a list say. */
function listTexts(list: unknown): string {
  const texts = Array.isArray(list) ? list.map((one) => say(typeof one === "object" ? Object(one).what : one)) : [];
  return texts.join(", ");
}

function showLines(lines: readonly (readonly [string, unknown])[]): string {
  const shown = lines.filter(([, value]) => value !== undefined && value !== null && value !== "");
  return `\n${shown.map(([name, value]) => `  ${name.padEnd(9)}${say(value)}\n`).join("")}`;
}

export const chatProgram: Program<Context> = {
  name: "chat",
  summary: "Talks with the travel agent in the terminal.",
  commands: [chat],
  notes: [
    "Without --url, it uses the service of this folder and the key in its quickstart.json.",
    "In a conversation, /link links another key to the traveler, so that both continue the same conversations.",
    "You can also pipe messages, one per line: echo 'What can you do?' | npm run -s chat",
  ],
};

/** Reads lines from a person or a pipe. */
function openTerminal(): Terminal & { close(): void } {
  const lines = createInterface({ input: process.stdin, output: process.stdout, terminal: process.stdin.isTTY });
  const waiting: string[] = [];
  let isOver = false;
  let wake: (() => void) | undefined;
  let stop: (() => void) | undefined;
  lines.on("line", (line) => {
    waiting.push(line);
    wake?.();
  });
  lines.on("close", () => {
    isOver = true;
    wake?.();
  });
  lines.on("SIGINT", () => {
    if (stop === undefined) lines.close();
    else stop();
  });
  return {
    async ask() {
      if (process.stdin.isTTY) {
        lines.setPrompt("you> ");
        lines.prompt();
      }
      while (waiting.length === 0 && !isOver) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      const line = waiting.shift();
      if (line !== undefined && !process.stdin.isTTY) process.stdout.write(`you> ${line}\n`);
      return line;
    },
    write: (text) => void process.stdout.write(text),
    onInterrupt(stopTurnNow) {
      stop = stopTurnNow;
    },
    close: () => lines.close(),
  };
}

if (import.meta.main) {
  await runAsCommand(chatProgram, async (_options, work) => {
    const terminal = openTerminal();
    try {
      return await work({ terminal, dataDir: readConfig(process.env).dataDir });
    } finally {
      terminal.close();
    }
  });
}
