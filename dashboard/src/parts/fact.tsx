import type { ReactNode } from "react";

/** A fact about an opened row, in its `dl`; nothing where it is not known. */
export function Fact({ name, className, children }: { name: string; className?: string; children: ReactNode }) {
  if (children === null || children === undefined) return null;
  return (
    <>
      <dt>{name}</dt>
      <dd className={className}>{children}</dd>
    </>
  );
}
