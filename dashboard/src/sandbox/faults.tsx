import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { ReadSandboxAnswer } from "../answers.ts";
import { api } from "../api.ts";
import { ApiCall } from "../parts/api-call.tsx";
import { Empty, Panel, Problem, Status } from "../parts/states.tsx";

type Spot = ReadSandboxAnswer["canArm"][number];
const PATH = "/api/sandbox/faults";
const TITLES = {
  supplier: "Supplier of flights and stays",
  attester: "Attester between chains",
  carriers: "Carriers of messages",
} as const;
const SIMULATORS = ["supplier", "attester", "carriers"] as const;

/** The next requests meet these. */
export function Faults({ faults, canArm }: Pick<ReadSandboxAnswer, "faults" | "canArm">) {
  const queries = useQueryClient();
  const disarm = useMutation({
    mutationFn: () => api(PATH, { method: "DELETE" }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["sandbox"] }),
  });
  return (
    <Panel
      title="Faults"
      aside={
        faults.length > 0 && (
          <button type="button" className="plain small" disabled={disarm.isPending} onClick={() => disarm.mutate()}>
            Disarm all
          </button>
        )
      }
    >
      {disarm.error !== null && <Problem error={disarm.error} />}
      {faults.length === 0 && <Empty>Nothing is armed: the simulators do what they should.</Empty>}
      <ul className="list plain-list">
        {faults.map(({ at, simulator, fault, times, delaySeconds }, index) => {
          const spot = canArm.find((one) => one.at === at);
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: the same may be armed twice.
            <li key={`${simulator} ${fault} ${index}`}>
              <span>
                <strong>{spot?.says ?? TITLES[simulator]}</strong>
                <br />
                {spot?.faults.find((one) => one.fault === fault)?.says ?? fault}{" "}
                <span className="mono quiet">{fault}</span>
                {delaySeconds > 0 && <span className="quiet">, {delaySeconds} s</span>}
              </span>
              <Status kind="wait">{times === 1 ? "next request" : `next ${times} requests`}</Status>
            </li>
          );
        })}
      </ul>
      <Arm canArm={canArm} />
    </Panel>
  );
}

function Arm({ canArm }: { canArm: readonly Spot[] }) {
  const queries = useQueryClient();
  const [at, setAt] = useState<Spot["at"]>("book_flight");
  const [wanted, setWanted] = useState("reset_after_effect");
  const [times, setTimes] = useState("1");
  const [delay, setDelay] = useState("0");
  const spot = canArm.find((one) => one.at === at);
  // Not every fault can happen everywhere.
  const chosen = spot?.faults.find(({ fault }) => fault === wanted) ?? spot?.faults[0];
  const body = { at, fault: chosen?.fault ?? "", times: Number(times), delaySeconds: Number(delay) };
  const arm = useMutation({
    mutationFn: () => api(PATH, { method: "POST", body }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["sandbox"] }),
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        arm.mutate();
      }}
    >
      <label htmlFor="fault-at">When the service is</label>
      <select
        id="fault-at"
        value={at}
        onChange={({ target }) => setAt(canArm.find((one) => one.at === target.value)?.at ?? at)}
      >
        {SIMULATORS.map((simulator) => (
          <optgroup key={simulator} label={TITLES[simulator]}>
            {canArm
              .filter((one) => one.simulator === simulator)
              .map((one) => (
                <option key={one.at} value={one.at}>
                  {one.says}
                </option>
              ))}
          </optgroup>
        ))}
      </select>
      <label htmlFor="fault-kind">This happens</label>
      <select id="fault-kind" value={chosen?.fault} onChange={({ target }) => setWanted(target.value)}>
        {spot?.faults.map(({ fault, says }) => (
          <option key={fault} value={fault}>
            {says}
          </option>
        ))}
      </select>
      {chosen?.isForAll === true && (
        <p className="notice">
          Other tenants of this deployment can notice this: the simulator refuses everybody, or the service stops asking
          it, until the delay has passed.
        </p>
      )}
      <div className="pairs">
        <label>
          Requests
          <input
            type="number"
            min={1}
            max={100}
            required
            value={times}
            onChange={({ target }) => setTimes(target.value)}
          />
        </label>
        <label>
          Delay in seconds
          <input
            type="number"
            min={0}
            max={3_600}
            step="any"
            required
            value={delay}
            onChange={({ target }) => setDelay(target.value)}
          />
        </label>
      </div>
      {arm.error !== null && <Problem error={arm.error} />}
      <div className="buttons">
        <button type="submit" disabled={arm.isPending || chosen === undefined}>
          Arm it
        </button>
      </div>
      <p className="quiet">
        The development chains take no faults. Requests of background checks, which are made for nobody in particular,
        meet none either.
      </p>
      <ApiCall
        calls={[
          { method: "POST", path: PATH, body },
          { method: "DELETE", path: PATH },
        ]}
      />
    </form>
  );
}
