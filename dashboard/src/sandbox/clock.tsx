import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { ReadSandboxAnswer } from "../answers.ts";
import { api } from "../api.ts";
import { sayDuration, time } from "../format.ts";
import { Ask } from "../parts/ask.tsx";
import { Panel } from "../parts/states.tsx";

const STEPS = [
  ["60", "1 minute"],
  ["1800", "30 minutes, as long as an offer lasts"],
  ["86400", "1 day"],
  ["259200", "3 days"],
  ["604800", "7 days"],
] as const;

/** The supplier's clock, which goes ahead for everybody and never back. */
export function Clock({ clock: { asOf, offsetSeconds } }: Pick<ReadSandboxAnswer, "clock">) {
  const queries = useQueryClient();
  const [step, setStep] = useState<string>("1800");
  const body = { advanceSeconds: Number(step) };
  const advance = useMutation({
    mutationFn: () => api("/api/sandbox/clock", { method: "POST", body }),
    onSuccess: () => queries.invalidateQueries(),
  });
  return (
    <Panel title="Supplier’s clock">
      <p>
        <strong>{time(asOf)}</strong>
        <br />
        <span className="quiet">
          {offsetSeconds === 0
            ? "The same as the machine’s."
            : `${sayDuration(offsetSeconds * 1_000)} ahead of the machine’s.`}
        </span>
      </p>
      <label htmlFor="clock-step">Move it ahead by</label>
      <select id="clock-step" value={step} onChange={({ target }) => setStep(target.value)}>
        {STEPS.map(([seconds, words]) => (
          <option key={seconds} value={seconds}>
            {words}
          </option>
        ))}
      </select>
      <div className="buttons">
        <Ask
          button="Move the clock"
          title="Move the supplier’s clock?"
          says="It moves for every tenant of this deployment, and never goes back: their offers expire and their holds lapse, too. The service’s own clock stays."
          yes="Move it"
          error={advance.error}
          run={() => advance.mutateAsync()}
          call={{ method: "POST", path: "/api/sandbox/clock", body }}
        />
      </div>
    </Panel>
  );
}
