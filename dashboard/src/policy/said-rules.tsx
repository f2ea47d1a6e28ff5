import type { GetPolicyAnswer } from "../answers.ts";
import { Empty } from "../parts/states.tsx";
import { SEVERITIES, sayRules } from "./say-rules.ts";

const SHOWN_RULES = 100;

/** The rules as people say them; the document itself is beside them as JSON. */
export function SaidRules({ document }: { document: GetPolicyAnswer["document"] }) {
  const parts = sayRules(document);
  return (
    <>
      {document.title !== undefined && <p>{document.title}</p>}
      {parts.length === 0 && <Empty>This policy limits nothing.</Empty>}
      {parts.map(({ title, rules }) => (
        <section key={title} className="said-rules">
          <h3>{title}</h3>
          <ul>
            {rules.slice(0, SHOWN_RULES).map(({ subject, severity, note }, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a version of a policy does not change.
              <li key={at}>
                {subject}
                {severity !== undefined && (
                  <>
                    {" "}
                    <strong className={severity}>{SEVERITIES[severity]}</strong>.
                  </>
                )}
                {note !== undefined && <span className="quiet"> {note}</span>}
              </li>
            ))}
          </ul>
          {rules.length > SHOWN_RULES && <p className="quiet">and {rules.length - SHOWN_RULES} more, in the JSON</p>}
        </section>
      ))}
    </>
  );
}
