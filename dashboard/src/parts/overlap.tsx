import { useId } from "react";

const OVERLAPS = [
  { hours: 24, label: "24 more hours" },
  { hours: 4, label: "4 more hours" },
  { hours: 1, label: "1 more hour" },
  { hours: 0, label: "no longer: it ends at once" },
] as const;

export const LONGEST_OVERLAP: number = OVERLAPS[0].hours;

/** For how long a secret that is replaced still works. */
export function Overlap(props: { label: string; hours: number; change: (hours: number) => void }) {
  const { label, hours: chosen, change } = props;
  const id = useId();
  return (
    <>
      <label htmlFor={id}>{label}</label>
      <select id={id} value={chosen} onChange={({ target }) => change(Number(target.value))}>
        {OVERLAPS.map(({ hours, label }) => (
          <option key={hours} value={hours}>
            {label}
          </option>
        ))}
      </select>
    </>
  );
}
