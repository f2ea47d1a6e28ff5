import { Copy } from "./copy.tsx";

export interface ShownCall {
  method: "GET" | "POST" | "PUT" | "DELETE";
  path: string;
  body?: unknown;
}

/** The same call for a program. */
export function writeCurl({ method, path, body }: ShownCall): string {
  const lines = [`curl -s${method === "GET" ? "" : ` -X ${method}`} ${quote(location.origin + path)}`];
  lines.push(`  -H "Authorization: Bearer $WAYFARE_API_KEY"`);
  if (body !== undefined) {
    lines.push(`  -H "Content-Type: application/json"`, `  -d ${quote(JSON.stringify(body))}`);
  }
  return lines.join(" \\\n");
}

/** For a shell: nothing within is expanded. */
const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Shows how a program calls the same. */
export function ApiCall({ calls }: { calls: readonly ShownCall[] }) {
  return (
    <details className="api-call">
      <summary>API</summary>
      {calls.map((call) => (
        <Copy key={writeCurl(call)} text={writeCurl(call)} label={`${call.method} ${call.path}`} />
      ))}
    </details>
  );
}
