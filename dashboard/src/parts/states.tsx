import type { ReactNode } from "react";
import { ApiError, signInUrl } from "../api.ts";
import { sayReason } from "../format.ts";

/** A panel with a heading. */
export function Panel({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
  return (
    <section className="panel">
      <header className="panel-head">
        <h2>{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  );
}

export function Empty({ children }: { children: ReactNode }) {
  return <p className="empty">{children}</p>;
}

/** The session is too old for this, and a new sign-in mends it. */
export const isStale = (error: Error | null): boolean => error instanceof ApiError && error.code === "sign_in_again";

/** Says what failed and the next step. `leave`: what to keep before the page is left for the sign-in. */
export function Problem({ error, retry, leave }: { error: Error; retry?: () => void; leave?: () => void }) {
  const needsSignIn = isStale(error);
  const isForbidden = error instanceof ApiError && error.code === "missing_scope";
  return (
    <div className="problem" role="alert">
      <p>
        {isForbidden
          ? "Your roles do not include this. Somebody who administers the tenant can change them."
          : sayReason(error.message)}
      </p>
      {needsSignIn && (
        <a className="button" href={signInUrl(true)} onClick={leave}>
          Sign in again
        </a>
      )}
      {!needsSignIn && !isForbidden && retry !== undefined && (
        <button type="button" className="plain" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

/** As high as the rows that it stands for, so that nothing moves when they come. */
export function Rows({ count }: { count: number }) {
  return (
    <div className="rows" aria-busy="true">
      <span className="hidden">Loading</span>
      {Array.from({ length: count }, (_none, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike.
        <div className="row-skeleton" key={at} />
      ))}
    </div>
  );
}

export function Status({
  kind,
  children,
}: {
  kind: "wait" | "fail" | "done" | "money" | "quiet";
  children: ReactNode;
}) {
  return <span className={`status ${kind}`}>{children}</span>;
}
