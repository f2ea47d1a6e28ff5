/** One of a few, such as a state: what is chosen belongs into the address. */
export function Choices<Value extends string>(props: {
  label: string;
  values: readonly (readonly [value: Value, label: string])[];
  chosen: Value;
  choose: (value: Value) => void;
}) {
  const { label, values, chosen, choose } = props;
  return (
    <fieldset className="tabs choices" aria-label={label}>
      {values.map(([value, text]) => (
        <button type="button" key={value} aria-pressed={value === chosen} onClick={() => choose(value)}>
          {text}
        </button>
      ))}
    </fieldset>
  );
}
