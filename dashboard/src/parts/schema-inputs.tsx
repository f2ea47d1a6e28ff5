import { useState } from "react";
import type { FieldProps, JsonSchema } from "./json-schema.ts";

/** Some of a few values. */
export function ManyChoices({ value, change, options }: FieldProps & { options: readonly unknown[] }) {
  const chosen: readonly unknown[] = Array.isArray(value) ? value : [];
  const toggle = (option: unknown, isOn: boolean) => {
    const next = options.filter((one) => (one === option ? isOn : chosen.includes(one)));
    change(next.length === 0 ? undefined : next);
  };
  return (
    <div className="many-choices">
      {options.map((option) => (
        <label key={String(option)} className="choice">
          <input
            type="checkbox"
            checked={chosen.includes(option)}
            onChange={({ target }) => toggle(option, target.checked)}
          />
          {String(option).replaceAll("_", " ")}
        </label>
      ))}
    </div>
  );
}

const isSchema = (value: unknown): value is JsonSchema => typeof value === "object" && value !== null;

/** A record whose members all have numbers, such as an amount for each city. */
export function isRecordOfNumbers({ type, properties, additionalProperties: rest }: JsonSchema): boolean {
  const isNumber = isSchema(rest) && (rest.type === "number" || rest.type === "integer");
  return type === "object" && properties === undefined && isNumber;
}

/** A line for each member. The draft is kept here: a name that is still written has no number yet. */
export function PairsInput({ id, value, change }: FieldProps) {
  const [pairs, setPairs] = useState<readonly (readonly [string, string])[]>(() =>
    typeof value === "object" && value !== null
      ? Object.entries(value).map(([name, number]) => [name, String(number)] as const)
      : [],
  );
  const set = (next: readonly (readonly [string, string])[]) => {
    setPairs(next);
    const whole = next.filter(([name, number]) => name !== "" && number !== "" && !Number.isNaN(Number(number)));
    change(whole.length === 0 ? undefined : Object.fromEntries(whole.map(([name, number]) => [name, Number(number)])));
  };
  return (
    <div className="group">
      {pairs.map(([name, number], at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line has no other name while it is written.
        <div className="pair-line" key={at}>
          <input
            aria-label={`Name ${at + 1}`}
            id={at === 0 ? id : undefined}
            autoComplete="off"
            value={name}
            onChange={({ target }) => set(pairs.with(at, [target.value, number]))}
          />
          <input
            aria-label={`Number of ${name === "" ? `line ${at + 1}` : name}`}
            type="number"
            step="any"
            value={number}
            onChange={({ target }) => set(pairs.with(at, [name, target.value]))}
          />
          <button type="button" className="plain small" onClick={() => set(pairs.toSpliced(at, 1))}>
            Remove
          </button>
        </div>
      ))}
      <button type="button" className="plain small" onClick={() => set([...pairs, ["", ""]])}>
        Add one
      </button>
    </div>
  );
}
