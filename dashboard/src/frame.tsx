import { Link, Outlet } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useState } from "react";
import { boot, member, switchTo, tenantHeader } from "./boot.ts";
import { useLiveUpdates } from "./live.ts";
import { PAGES } from "./pages.ts";
import { isTyping } from "./parts/keyboard.ts";

const Commands = lazy(() => import("./commands.tsx"));
const KeyList = lazy(() => import("./parts/key-list.tsx"));

/** The rail, or on a phone the bar, around every page. */
export function Frame() {
  const [isOpen, open] = useState(false);
  const [isListing, list] = useState(false);
  useLiveUpdates();
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key === "?" && !isTyping(event.target)) list(true);
      if (event.key !== "k" || !(event.metaKey || event.ctrlKey)) return;
      event.preventDefault();
      open((was) => !was);
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
  return (
    <>
      <a className="skip" href="#content">
        To the content
      </a>
      <aside className="rail">
        <a className="brand" href="/">
          Wayfare
        </a>
        <Tenant />
        <button type="button" className="plain find" onClick={() => open(true)}>
          Find <kbd>Ctrl K</kbd>
        </button>
        <nav aria-label="Pages">
          {[...Map.groupBy(PAGES, ({ group }) => group)].map(([group, pages]) => (
            <div key={group} className="rail-group">
              {group !== "" && <p className="quiet">{group}</p>}
              {pages.map(({ to, label, isExact, isFirst }) => (
                <Link
                  key={to}
                  to={to}
                  className={isFirst ? "" : "later"}
                  activeOptions={{ exact: isExact, includeSearch: false }}
                >
                  {label}
                </Link>
              ))}
            </div>
          ))}
          <Link to="/more" className="only-phone">
            More
          </Link>
        </nav>
        <div className="who">
          <p>{member.name}</p>
          <p className="quiet">{member.roles.join(", ")}</p>
          <form method="post" action="/sign-out">
            <input type="hidden" name="csrf" value={boot.csrf} />
            <button type="submit" className="plain small">
              Sign out
            </button>
          </form>
        </div>
      </aside>
      <main id="content" tabIndex={-1}>
        {member.environment === "sandbox" && (
          <p className="sandbox">Sandbox: nothing real is bought, and no real money moves.</p>
        )}
        <Outlet />
      </main>
      {isListing && (
        <Suspense>
          <KeyList close={() => list(false)} />
        </Suspense>
      )}
      {isOpen && (
        <Suspense>
          <Commands close={() => open(false)} />
        </Suspense>
      )}
    </>
  );
}

function Tenant() {
  const { tenantName, environment } = member;
  if (boot.memberships.length < 2) return <p className="tenant">{tenantName}</p>;
  return (
    <label className="tenant">
      <span className="hidden">Tenant</span>
      <select
        value={tenantHeader}
        onChange={({ target }) => {
          const chosen = boot.memberships.find((one) => `${one.tenantId}/${one.environment}` === target.value);
          if (chosen !== undefined) switchTo(chosen);
        }}
      >
        {boot.memberships.map((one) => (
          <option key={`${one.tenantId}/${one.environment}`} value={`${one.tenantId}/${one.environment}`}>
            {one.tenantName}
            {one.environment === environment ? "" : ` (${one.environment})`}
          </option>
        ))}
      </select>
    </label>
  );
}
