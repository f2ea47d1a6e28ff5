import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { ApiError, api } from "../api.ts";
import { usdc } from "../format.ts";
import { SchemaForm } from "../parts/schema-form.tsx";
import { isStale, Panel, Problem, Status } from "../parts/states.tsx";
import { Answer, type CallAnswer } from "./answer.tsx";
import { type Args, keepDrafts, readDraft, writeDraft } from "./drafts.ts";
import { Purchase } from "./purchase.tsx";
import { rememberOffers } from "./seen-offers.ts";
import { DISPATCH_PATH, type Tool } from "./tools.ts";
import { type Preview, Verdict } from "./verdict.tsx";

/** The last answers, so that looking at another tool loses none. */
const answers = new Map<string, CallAnswer>();
const PREVIEW = "preview_call";
const EFFECTS = {
  read: { kind: "quiet", text: "reads" },
  write: { kind: "wait", text: "writes" },
  spend: { kind: "money", text: "moves money" },
} as const;

/** One tool: its form, what the call would do, and its answer. */
export function Bench({ tool, refused }: { tool: Tool; refused: readonly string[] }) {
  const queries = useQueryClient();
  const [args, setArgs] = useState<Args>(() => readDraft(tool.name));
  const change = (next: Args) => {
    writeDraft(tool.name, next);
    setArgs(next);
  };
  const written = JSON.stringify(args);
  const preview = useMutation({
    mutationFn: async () => {
      const body = { tool: PREVIEW, args: { tool: tool.name, args } };
      const { result } = await api<{ result: Preview }>(DISPATCH_PATH, { method: "POST", body });
      // The key makes the call that follows safe to repeat.
      return { result, written, idempotencyKey: makeKey() };
    },
  });
  const seen = preview.data?.written === written ? preview.data : undefined;
  const call = useMutation({
    mutationFn: () =>
      api<CallAnswer>(DISPATCH_PATH, {
        method: "POST",
        body: { tool: tool.name, args },
        ...(seen === undefined ? {} : { idempotencyKey: seen.idempotencyKey }),
      }),
    onSuccess: (answer) => {
      answers.set(tool.name, answer);
      rememberOffers(answer.result);
      return tool.effect === "read" ? undefined : queries.invalidateQueries();
    },
    // On a phone the answer is far below the form.
    onSettled: () => {
      if (matchMedia("(max-width: 800px)").matches) document.querySelector(".answer")?.scrollIntoView();
    },
  });
  const isFree = tool.effect === "read";
  const issues = [call.error, preview.error].flatMap((error) => (error instanceof ApiError ? error.issues : []));
  const wrong = [...issues.map(({ path }) => path), ...(seen?.result.problem?.issues ?? []).map(({ path }) => path)];
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isFree) call.mutate();
    else preview.mutate();
  };
  return (
    <>
      <Panel title={tool.title} aside={<Status kind={EFFECTS[tool.effect].kind}>{EFFECTS[tool.effect].text}</Status>}>
        <p className="quiet only-phone-block">
          <Link to="/playground" search={{}}>
            All tools
          </Link>
        </p>
        <Description text={tool.description} />
        <p className="quiet">
          <a href={`/docs/tools/${tool.name}`}>{tool.name}</a>, {usdc(tool.priceMicroUsdc)} USDC a call, scope{" "}
          <span className="mono">{tool.scope}</span>
        </p>
        {refused.length > 0 && wrong.length === 0 && (
          <p className="notice">
            The failed call was refused because of {refused.join(", ")}. Its arguments are not stored: fill in the form
            again.
          </p>
        )}
        <form onSubmit={submit}>
          <button type="button" className="plain small" onClick={() => change(tool.example)}>
            Fill in the example
          </button>
          {/* The texts of inputs that hold JSON are theirs: an example replaces the whole form. */}
          <SchemaForm
            key={written === JSON.stringify(tool.example) ? "example" : "own"}
            schema={tool.schema}
            value={args}
            change={change}
            wrong={wrong.length === 0 ? refused : wrong}
          />
          <div className="buttons">
            <button type="submit" className={isFree ? "" : "plain"} disabled={call.isPending || preview.isPending}>
              {isFree ? `Call (${usdc(tool.priceMicroUsdc)} USDC)` : "Preview (0.0005 USDC)"}
            </button>
            {isFree && (
              <button type="button" className="plain" disabled={preview.isPending} onClick={() => preview.mutate()}>
                Preview
              </button>
            )}
          </div>
        </form>
        {preview.error !== null && <Problem error={preview.error} leave={keepDrafts} />}
        <Purchase args={args} isAccepted={seen?.result.accepted ?? false} />
        {seen !== undefined && <Verdict preview={seen.result} />}
        {isStale(call.error) && call.error !== null && <Problem error={call.error} leave={keepDrafts} />}
        {!isFree && (
          <div className="buttons">
            <button
              type="button"
              disabled={call.isPending || seen === undefined || !seen.result.accepted}
              onClick={() => call.mutate()}
            >
              {sayCall(seen?.result)}
            </button>
          </div>
        )}
        {!isFree && seen === undefined && (
          <p className="quiet">What writes or spends is previewed first, with exactly these arguments.</p>
        )}
      </Panel>
      <Answer tool={tool} args={args} call={{ ...call, data: call.data ?? answers.get(tool.name) }} />
    </>
  );
}

/** Written for agents: a person reads its first sentence, and the rest on demand. The price follows below. */
function Description({ text }: { text: string }) {
  const whole = text.replace(/ Price: [\d.]+ USDC\.$/, "");
  const end = whole.search(/[.:;] /);
  if (end === -1) return <p>{whole}</p>;
  return (
    <>
      <p>{whole.slice(0, end)}.</p>
      <details>
        <summary>What agents are told</summary>
        <p>{whole}</p>
      </details>
    </>
  );
}

/** Never rounded: it is what a person agrees to. */
const EXACT = new Intl.NumberFormat("en", { minimumFractionDigits: 2, maximumFractionDigits: 6 });

/** The button says the amount that it costs. */
function sayCall(preview: Preview | undefined): string {
  if (preview === undefined || !preview.accepted) return "Call";
  return preview.inAllUsdc === null
    ? "Call: the supplier or the chain decides the amount"
    : `Call: ${EXACT.format(Number(preview.inAllUsdc))} USDC in all`;
}

/** Also where the page has no secure context. */
function makeKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `dashboard-${[...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
