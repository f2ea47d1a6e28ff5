type Days = Readonly<Partial<Record<"from" | "to", string | undefined>>>;

/** The first and the last day of a list, which belong into the address. */
export function Period({ from, to, change }: Days & { change: (days: Days) => void }) {
  return (
    <div className="pairs period">
      <label>
        From
        <input type="date" value={from ?? ""} onChange={({ target }) => change({ from: target.value })} />
      </label>
      <label>
        Until
        <input type="date" value={to ?? ""} onChange={({ target }) => change({ to: target.value })} />
      </label>
    </div>
  );
}
