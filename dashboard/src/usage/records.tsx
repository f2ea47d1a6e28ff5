import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import type { ReadUsageAnswer, ReadUsageGroupsAnswer } from "../answers.ts";
import { api, withQuery } from "../api.ts";
import { sayDuration, toolName, usdcColumn } from "../format.ts";
import { Export } from "../parts/export.tsx";
import { PagedList } from "../parts/paged-list.tsx";
import { Panel } from "../parts/states.tsx";
import { When } from "../parts/time.tsx";

type Row = ReadUsageAnswer["records"][number];

const COLUMNS = [
  "id",
  "createdAt",
  "tool",
  "surface",
  "status",
  "subject",
  "keyId",
  "listPriceMicroUsdc",
  "discountPercent",
  "priceMicroUsdc",
  "latencyMs",
  "traceId",
  "idempotencyKey",
  "settlementTx",
] as const satisfies readonly (keyof Row)[];

const readRecords = (page: ReadUsageAnswer): readonly Row[] => page.records;

export function Records() {
  const { tool } = useSearch({ from: "/usage" });
  const keys = useQuery({
    queryKey: ["usage", "groups", "key", "90"],
    queryFn: ({ signal }) => api<ReadUsageGroupsAnswer>("/api/usage/groups?by=key&days=90", { signal }),
  });
  const names = new Map(keys.data?.groups.map(({ name, keyName }) => [name, keyName]));
  return (
    <Panel
      title={tool === undefined ? "Calls" : `Calls of ${toolName(tool)}`}
      aside={
        <span className="buttons">
          {tool !== undefined && (
            <Link to="/usage" search={({ tool: _former, ...others }) => others}>
              Show all tools
            </Link>
          )}
          <Export name="usage" path={withQuery("/api/usage", { tool })} columns={COLUMNS} read={readRecords} />
        </span>
      }
    >
      <PagedList
        queryKey={["usage", "records", tool ?? ""]}
        path={withQuery("/api/usage", { limit: 50, tool })}
        read={readRecords}
        empty="No call has been made yet."
      >
        {(records) => <Table records={records} names={names} />}
      </PagedList>
    </Panel>
  );
}

function Table({ records, names }: { records: readonly Row[]; names: ReadonlyMap<string | null, string | null> }) {
  const say = usdcColumn(records.map(({ priceMicroUsdc }) => priceMicroUsdc));
  return (
    <table>
      <thead>
        <tr>
          <th>Tool</th>
          <th className="wide">Key</th>
          <th>When</th>
          <th className="number wide">Took</th>
          <th className="number">USDC</th>
        </tr>
      </thead>
      <tbody>
        {records.map((record) => (
          <tr key={record.id} title={`Trace ${record.traceId}`}>
            <td>{toolName(record.tool)}</td>
            <td className="wide">
              {record.keyId === null ? "paid by a wallet" : (names.get(record.keyId) ?? record.keyId)}
              <span className="quiet">, {record.surface}</span>
            </td>
            <td>
              <When at={record.createdAt} />
            </td>
            <td className="number wide">{sayDuration(record.latencyMs)}</td>
            <td className="number">{say(record.priceMicroUsdc)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
