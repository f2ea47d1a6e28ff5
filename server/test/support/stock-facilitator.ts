import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { x402Facilitator } from "@x402/core/facilitator";
import { toFacilitatorEvmSigner } from "@x402/evm";
import { ExactEvmScheme } from "@x402/evm/exact/facilitator";
import { createWalletClient, defineChain, http, publicActions } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { z } from "zod";
import type { Hex } from "../../src/domain/tokens.ts";

/**
 * pass: as the stock facilitator does · hang: read, carried out by nobody and never answered · reset: the same with a broken
 * connection · dropped: carried out, and the connection breaks instead of the answer · anything else is answered in its place.
 */
export type FacilitatorFate =
  | "pass"
  | "hang"
  | "reset"
  | "dropped"
  | { status: number; json?: unknown; text?: string }
  /** Carried out, and what is answered is changed. */
  | { lie: (answer: Record<string, unknown>) => unknown };

export interface AskedFacilitator {
  path: "/verify" | "/settle" | "/supported";
  body: unknown;
  /** The header. */
  authorization?: string | undefined;
}

const Requirements = z.object({
  scheme: z.string(),
  network: z.templateLiteral([z.string(), ":", z.string()]),
  asset: z.string(),
  amount: z.string(),
  payTo: z.string(),
  maxTimeoutSeconds: z.number(),
  extra: z.record(z.string(), z.unknown()),
});
const Question = z.object({
  paymentPayload: z.object({
    x402Version: z.number(),
    accepted: Requirements,
    payload: z.record(z.string(), z.unknown()),
  }),
  paymentRequirements: Requirements,
});

const Fields = z.array(z.object({ name: z.string(), type: z.string() }));
const Types = z.object({ TransferWithAuthorization: Fields });

const GAS_MONEY = 10n ** 18n;

/** The facilitator of the x402 packages as it comes, behind an HTTP server like anybody's, which can be told to misbehave. */
export async function startStockFacilitator(options: {
  chainId: number;
  rpcUrl: string;
  /** Gives it money for gas. */
  fund: (to: Hex, wei: bigint) => Promise<unknown>;
}) {
  const account = privateKeyToAccount(generatePrivateKey());
  await options.fund(account.address, GAS_MONEY);
  const chain = defineChain({
    id: options.chainId,
    name: "development",
    nativeCurrency: { name: "gas", symbol: "GAS", decimals: 18 },
    rpcUrls: { default: { http: [options.rpcUrl] } },
  });
  // Longer than any machine stands still: what is broadcast a second time is refused.
  const transport = http(options.rpcUrl, { timeout: 120_000 });
  const wallet = createWalletClient({ account, chain, transport, pollingInterval: 20 }).extend(publicActions);
  const signer = toFacilitatorEvmSigner({
    address: account.address,
    readContract: (args) => wallet.readContract({ ...args, args: args.args ?? [] }),
    verifyTypedData: (args) => wallet.verifyTypedData({ ...args, types: Types.parse(args.types) }),
    writeContract: (args) => wallet.writeContract({ ...args, chain, account }),
    sendTransaction: (args) => wallet.sendTransaction({ ...args, chain, account }),
    waitForTransactionReceipt: (args) => wallet.waitForTransactionReceipt(args),
    getCode: (args) => wallet.getCode(args),
  });
  const facilitator = new x402Facilitator().register(`eip155:${options.chainId}`, new ExactEvmScheme(signer));

  const state: { fate: (asked: AskedFacilitator) => FacilitatorFate } = { fate: () => "pass" };
  const asked: AskedFacilitator[] = [];
  let last: Promise<unknown> = Promise.resolve();

  /** One after another: the nonces of its wallet. */
  function alone<Result>(work: () => Promise<Result>): Promise<Result> {
    const mine = last.then(work, work);
    last = mine;
    return mine;
  }

  async function execute({ path, body }: AskedFacilitator): Promise<object> {
    if (path === "/supported") return facilitator.getSupported();
    const { paymentPayload, paymentRequirements } = Question.parse(body);
    return path === "/verify"
      ? await facilitator.verify(paymentPayload, paymentRequirements)
      : await alone(() => facilitator.settle(paymentPayload, paymentRequirements));
  }

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(Buffer.from(chunk));
    const text = Buffer.concat(chunks).toString("utf8");
    const path = z.enum(["/verify", "/settle", "/supported"]).parse(incoming.url);
    const question: AskedFacilitator = { path, body: text === "" ? undefined : JSON.parse(text) };
    const { authorization } = incoming.headers;
    asked.push(authorization === undefined ? question : { ...question, authorization });
    const fate = state.fate(question);
    const answer = (status: number, said: string): void => {
      response.writeHead(status, { "content-type": "application/json" }).end(said);
    };
    if (fate === "hang") return;
    if (fate === "reset") {
      incoming.socket.resetAndDestroy();
    } else if (fate === "dropped") {
      await execute(question);
      incoming.socket.resetAndDestroy();
    } else if (fate === "pass") {
      answer(200, JSON.stringify(await execute(question)));
    } else if ("lie" in fate) {
      answer(200, JSON.stringify(fate.lie({ ...(await execute(question)) })));
    } else {
      answer(fate.status, fate.text ?? JSON.stringify(fate.json));
    }
  }

  const server = createServer((incoming, response) => {
    handle(incoming, response).catch((error: unknown) => {
      response.writeHead(500, { "content-type": "application/json" }).end(JSON.stringify({ error: String(error) }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();

  return {
    url: `http://127.0.0.1:${findPort(address)}`,
    address: account.address,
    /** The questions that it received, in order. */
    asked,
    misbehave(fate: (question: AskedFacilitator) => FacilitatorFate): void {
      state.fate = fate;
    },
    behave(): void {
      state.fate = () => "pass";
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export type StockFacilitator = Awaited<ReturnType<typeof startStockFacilitator>>;

function findPort(address: string | AddressInfo | null): number {
  return typeof address === "object" && address !== null ? address.port : 0;
}
