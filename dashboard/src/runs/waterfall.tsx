import { useNavigate, useSearch } from "@tanstack/react-router";
import type { ReadWorkflowRunAnswer } from "../answers.ts";
import { money, sayDuration, time, usdc } from "../format.ts";
import { Status } from "../parts/states.tsx";
import { sayStep } from "./say-step.ts";
import { scaleTime } from "./waterfall-scale.ts";

type Step = ReadWorkflowRunAnswer["steps"][number];

const findEnd = (step: Step): number => (step.endedAt === null ? Date.now() : Date.parse(step.endedAt));

/** Each step of a run with what it took and moved. A step's details are in the address. */
export function Waterfall({ steps }: { steps: readonly Step[] }) {
  const { step: chosen } = useSearch({ from: "/runs/$runId" });
  const navigate = useNavigate({ from: "/runs/$runId" });
  const spans = steps.map((step) => ({
    from: Date.parse(step.startedAt),
    to: findEnd(step),
    isWait: step.tool === null,
  }));
  const { place, isShortened } = scaleTime(spans);
  return (
    <>
      <ol className="waterfall">
        {steps.map((step, at) => {
          const span = spans[at];
          if (span === undefined) return null;
          const name = `${at}`;
          const left = place(span.from);
          const isOpen = name === chosen;
          return (
            <li key={name}>
              <button
                type="button"
                className="step"
                data-row
                aria-expanded={isOpen}
                onClick={() =>
                  void navigate({ search: isOpen ? {} : { step: name }, replace: true, resetScroll: false })
                }
              >
                <span className="step-name">
                  {sayStep(step.step)}
                  {step.attempt > 1 && <span className="badge">{step.attempt} attempts</span>}
                </span>
                <span className="money">{sayMoney(step)}</span>
                <svg className="bar" aria-hidden="true" preserveAspectRatio="none" viewBox="0 0 1000 12">
                  <rect
                    className={step.tool === null ? `wait ${step.state}` : step.state}
                    x={left * 1_000}
                    y="1"
                    width={Math.max(6, (place(span.to) - left) * 1_000)}
                    height="10"
                    rx="2"
                  />
                </svg>
                <span className="took">
                  {step.state === "waiting" ? "waits " : ""}
                  {sayDuration(span.to - span.from)}
                </span>
              </button>
              {isOpen && <StepDetails step={step} />}
            </li>
          );
        })}
      </ol>
      {isShortened && (
        <p className="quiet">
          Long waits are drawn short, so that the rest can be seen. The printed durations are true.
        </p>
      )}
    </>
  );
}

const MOVED = [
  ["chargedUsdc", "from the wallet"],
  ["coveredUsdc", "covered by escrow"],
  ["reservedUsdc", "reserved"],
  ["vendorAmountUsdc", "committed"],
  ["vendorPaidUsdc", "paid"],
  ["refundedUsdc", "returned"],
] as const;

/** The most telling amount that the step moved. */
function sayMoney({ references }: Step): string {
  const moved = MOVED.find(([name]) => Number(references[name] ?? 0) > 0);
  return moved === undefined ? "" : `${money(references[moved[0]] ?? "0")} ${moved[1]}`;
}

const KINDS = { running: "money", waiting: "wait", done: "done", failed: "fail" } as const;

function StepDetails({ step }: { step: Step }) {
  const { tool, state, attempt, startedAt, endedAt, remindedAt, priceMicroUsdc, code, references, meterId } = step;
  return (
    <dl className="details step-details">
      <dt>State</dt>
      <dd>
        <Status kind={KINDS[state]}>{state}</Status> {attempt > 1 ? `at attempt ${attempt}` : ""}
      </dd>
      {tool !== null && (
        <>
          <dt>Tool</dt>
          <dd>
            <a href={`/docs/tools/${tool}`}>{tool}</a>
          </dd>
        </>
      )}
      {code !== null && (
        <>
          <dt>Problem</dt>
          <dd>
            <a href={`/docs/errors/${code}`}>{code}</a>
          </dd>
        </>
      )}
      <dt>From</dt>
      <dd>{time(startedAt)}</dd>
      <dt>Until</dt>
      <dd>{endedAt === null ? "it goes on" : time(endedAt)}</dd>
      {remindedAt !== null && (
        <>
          <dt>Reminded</dt>
          <dd>{time(remindedAt)}</dd>
        </>
      )}
      {priceMicroUsdc !== null && (
        <>
          <dt>Price</dt>
          <dd>
            {usdc(priceMicroUsdc)} USDC <span className="mono quiet">{meterId}</span>
          </dd>
        </>
      )}
      {Object.entries(references).map(([name, value]) => (
        <div key={name}>
          <dt className="mono">{name}</dt>
          <dd className="mono">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
