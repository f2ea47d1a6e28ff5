import { Link } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { ApiError } from "../api.ts";
import { usdc } from "../format.ts";
import { AnswerTree, CardActions } from "../parts/answer-tree.tsx";
import { writeCurl } from "../parts/api-call.tsx";
import { Choices } from "../parts/choices.tsx";
import { Copy, CopyId } from "../parts/copy.tsx";
import { Empty, Panel, Problem, Rows } from "../parts/states.tsx";
import { keepDrafts, writeDraft } from "./drafts.ts";
import { findOfferId } from "./seen-offers.ts";
import { DISPATCH_PATH, type Tool } from "./tools.ts";

export interface CallAnswer {
  result: unknown;
  latencyMs: number;
  priceMicroUsdc: string;
  replayed?: boolean;
}

interface Call {
  isPending: boolean;
  error: Error | null;
  data: CallAnswer | undefined;
}

const WAYS = [
  ["readable", "Answer"],
  ["json", "JSON"],
  ["curl", "curl"],
  ["typescript", "TypeScript"],
  ["mcp", "MCP"],
] as const;
type Way = (typeof WAYS)[number][0];

/** The answer for people and as it came, and the same call for programs. */
export function Answer({ tool, args, call }: { tool: Tool; args: Readonly<Record<string, unknown>>; call: Call }) {
  const [way, choose] = useState<Way>("readable");
  const { data, error, isPending } = call;
  const panel = useRef<HTMLDivElement>(null);
  const wasPending = useRef(false);
  useEffect(() => {
    // On a phone it is below the form, and beside a long form its beginning is above what is on the screen.
    if (wasPending.current && !isPending) panel.current?.scrollIntoView({ block: "start" });
    wasPending.current = isPending;
  }, [isPending]);
  return (
    <div className="answer" ref={panel}>
      <Panel title="Answer and code">
        <Choices label="Form" values={WAYS} chosen={way} choose={choose} />
        {way === "curl" && (
          <Copy
            text={writeCurl({ method: "POST", path: DISPATCH_PATH, body: { tool: tool.name, args } })}
            label="curl"
          />
        )}
        {way === "typescript" && <Copy text={writeTypeScript(tool.name, args)} label="TypeScript" />}
        {way === "mcp" && <Copy text={writeMcp(tool.name, args)} label="MCP" />}
        {(way === "readable" || way === "json") && (
          <>
            {isPending && <Rows count={5} />}
            {!isPending && error !== null && <Failure error={error} />}
            {!isPending && error === null && data === undefined && <Empty>The answer appears here.</Empty>}
            {!isPending && data !== undefined && (
              <>
                <p className="quiet" role="status">
                  {usdc(data.priceMicroUsdc)} USDC, {Math.round(data.latencyMs)} ms
                  {data.replayed === true ? ", the answer of an earlier call" : ""}
                </p>
                {way === "readable" ? (
                  <CardActions value={offerActions}>
                    <AnswerTree value={data.result} />
                  </CardActions>
                ) : (
                  <Copy text={JSON.stringify(data.result, null, 2)} label="JSON" />
                )}
              </>
            )}
          </>
        )}
      </Panel>
    </div>
  );
}

/** An offer leads to the filled form of its booking. */
function offerActions(value: unknown) {
  const offerId = findOfferId(value);
  if (offerId === undefined) return null;
  return (
    <p className="buttons card-actions">
      <CopyId id={offerId} />
      <Link
        className="button plain small"
        to="/playground"
        search={{ tool: "book_flight" }}
        onClick={() => writeDraft("book_flight", { offerId })}
      >
        Book this
      </Link>
    </p>
  );
}

function Failure({ error }: { error: Error }) {
  return (
    <>
      <Problem error={error} leave={keepDrafts} />
      {error instanceof ApiError && (
        <>
          <ul>
            {error.issues.map(({ path, message }) => (
              <li key={`${path} ${message}`}>
                <span className="mono">{path}</span> {message}
              </li>
            ))}
          </ul>
          <p className="quiet">
            <a href={`/docs/errors/${error.code}`}>{error.code}</a>
            {error.traceId !== undefined && (
              <>
                , trace <span className="mono">{error.traceId}</span>
              </>
            )}
          </p>
        </>
      )}
    </>
  );
}

const indent = (value: unknown, by: string): string => JSON.stringify(value, null, 2).replaceAll("\n", `\n${by}`);

function writeTypeScript(name: string, args: unknown): string {
  const method = name.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
  return `import { createClient } from "@wayfare/client";

const wayfare = createClient({
  baseUrl: ${JSON.stringify(location.origin)},
  apiKey: process.env.WAYFARE_API_KEY,
});
const answer = await wayfare.tools.${method}(${indent(args, "")});`;
}

function writeMcp(name: string, args: unknown): string {
  const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } };
  return JSON.stringify(message, null, 2);
}
