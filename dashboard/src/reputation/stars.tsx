const MOST = 5;

/** An average of one to five. */
export function Stars({ average }: { average: string | null }) {
  if (average === null) return <span className="quiet">no stars</span>;
  const share = (Number(average) / MOST) * 100;
  return (
    <span className="stars">
      <span className="hidden">
        {average} of {MOST} stars
      </span>
      <svg aria-hidden="true" viewBox="0 0 100 8" preserveAspectRatio="none">
        <rect className="all" width="100" height="8" />
        <rect className="given" width={share} height="8" />
      </svg>
      <span aria-hidden="true">{average}</span>
    </span>
  );
}
