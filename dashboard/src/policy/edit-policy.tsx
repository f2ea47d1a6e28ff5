import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { ApiError, api } from "../api.ts";
import { ApiCall } from "../parts/api-call.tsx";
import { Choices } from "../parts/choices.tsx";
import type { JsonSchema } from "../parts/json-schema.ts";
import { SchemaForm } from "../parts/schema-form.tsx";
import { Problem, Rows } from "../parts/states.tsx";
import { Differences } from "./differences.tsx";
import { usePolicySchema } from "./policy-schema.ts";

type Document = Readonly<Record<string, unknown>>;

function parse(text: string): Document | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

const write = (document: Document): string => JSON.stringify(document, null, 2);

const WAYS = [
  ["form", "Form"],
  ["json", "JSON"],
] as const;

/** A draft of the rules, as a form and as JSON: either shows what was done in the other. The service checks what is saved. */
export function EditPolicy({ policyId, document }: { policyId: string; document: unknown }) {
  const queries = useQueryClient();
  const navigate = useNavigate({ from: "/policy" });
  const [way, choose] = useState<(typeof WAYS)[number][0]>("form");
  const [text, setText] = useState(() => JSON.stringify(document, null, 2));
  const [from, setFrom] = useState("");
  const draft = parse(text);
  const path = `/api/policies/${encodeURIComponent(policyId)}`;
  const body = { document: draft, ...(from === "" ? {} : { effectiveFrom: from }) };
  const save = useMutation({
    mutationFn: () => api(path, { method: "PUT", body }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ["policies"] });
      await navigate({ search: { policy: policyId } });
    },
  });
  const issues = save.error instanceof ApiError ? save.error.issues : [];
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <Choices label="Edit as" values={WAYS} chosen={way} choose={choose} />
      {way === "json" || draft === undefined ? (
        <>
          <label htmlFor="policy-document">The rules as JSON</label>
          <textarea
            id="policy-document"
            className="mono"
            rows={24}
            spellCheck={false}
            aria-invalid={draft === undefined}
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
          {draft === undefined && <p className="refused">This is not a JSON object yet; the form needs one.</p>}
        </>
      ) : (
        <Fields
          draft={draft}
          change={(next) => setText(write(next))}
          wrong={issues.map((issue) => issue.path.replace(/^document\./, ""))}
        />
      )}
      <h3>What this changes</h3>
      <Differences before={document} after={draft ?? document} none="Nothing yet." />
      <label htmlFor="policy-from">
        In force from <span className="quiet">left out: from now on</span>
      </label>
      <input id="policy-from" type="date" value={from} onChange={({ target }) => setFrom(target.value)} />
      {save.error !== null && (
        <>
          <Problem error={save.error} />
          <ul>
            {issues.map((issue) => (
              <li key={`${issue.path} ${issue.message}`}>
                <span className="mono">{issue.path}</span> {issue.message}
              </li>
            ))}
          </ul>
        </>
      )}
      <div className="buttons">
        <button type="submit" disabled={draft === undefined || save.isPending}>
          Save as a new version
        </button>
      </div>
      <ApiCall calls={[{ method: "PUT", path, body }]} />
    </form>
  );
}

const SECTIONS: Readonly<Record<string, string>> = {
  flight: "Flights",
  hotel: "Hotels",
  payments: "Payments",
  destinations: "Destinations",
  travelDates: "Travel dates",
  booking: "Who may book for whom",
  rules: "Rules of your own",
  approval: "Approval: who decides, and until when",
};

/** Each part of the document by itself; a part that is left out limits nothing. */
function Fields(props: { draft: Document; change: (draft: Document) => void; wrong: readonly string[] }) {
  const { draft, change, wrong } = props;
  const schema = usePolicySchema();
  if (schema.isPending) return <Rows count={8} />;
  if (schema.error !== null) return <Problem error={schema.error} retry={() => void schema.refetch()} />;
  const properties = schema.data.properties ?? {};
  const ofDocument = Object.keys(properties).filter((name) => SECTIONS[name] === undefined);
  const part = (names: readonly string[]) => ({
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name, properties[name] ?? {}])),
  });
  const isWrong = (name: string) => wrong.some((path) => path === name || path.startsWith(`${name}.`));
  return (
    <>
      <SchemaForm schema={part(ofDocument)} value={draft} change={change} wrong={wrong} isDeep />
      {Object.entries(SECTIONS).map(([name, title]) => (
        <details key={name} open={draft[name] !== undefined || isWrong(name)} className="policy-part">
          <summary>
            <strong>{title}</strong>{" "}
            <span className="quiet">{draft[name] === undefined ? "limits nothing" : "has rules"}</span>
          </summary>
          <Part name={name} schema={properties[name] ?? {}} draft={draft} change={change} wrong={wrong} />
        </details>
      ))}
    </>
  );
}

interface PartProps {
  name: string;
  schema: JsonSchema;
  draft: Document;
  change: (draft: Document) => void;
  wrong: readonly string[];
}

/** A part is an object, whose members are shown without its name, or a list of rules. */
function Part({ name, schema, draft, change, wrong }: PartProps) {
  const { [name]: value, ...rest } = draft;
  if (schema.type !== "object") {
    const only: JsonSchema = { type: "object", properties: { [name]: schema } };
    return <SchemaForm schema={only} value={draft} change={change} wrong={wrong} isDeep />;
  }
  const within = wrong.flatMap((path) => (path.startsWith(`${name}.`) ? [path.slice(name.length + 1)] : []));
  return (
    <SchemaForm
      schema={schema}
      value={typeof value === "object" && value !== null ? { ...value } : {}}
      change={(next) => change(Object.keys(next).length === 0 ? rest : { ...draft, [name]: next })}
      wrong={within}
      isDeep
    />
  );
}
