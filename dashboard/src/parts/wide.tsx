import type { ReactNode } from "react";

/** A table that may be wider than a phone scrolls by itself, not the page. */
export function Wide({ label, children }: { label: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: whoever scrolls by keyboard needs the focus here.
    <section className="scroll" aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}
