import { Link } from "@tanstack/react-router";
import { PAGES } from "./pages.ts";
import { Panel } from "./parts/states.tsx";

/** On a phone, the pages that the bar has no room for. */
export function More() {
  return (
    <>
      <h1>More</h1>
      <Panel title="Pages">
        <ul className="list plain-list">
          {PAGES.filter(({ isFirst }) => !isFirst).map(({ to, label }) => (
            <li key={to}>
              <Link to={to} className="row-link">
                {label}
              </Link>
            </li>
          ))}
        </ul>
      </Panel>
      <Panel title="Read">
        <ul className="list plain-list">
          <li>
            <a href="/docs">Documentation</a>
          </li>
          <li>
            <a href="/reference">API reference</a>
          </li>
        </ul>
      </Panel>
    </>
  );
}
