import {
  type ColumnNode,
  DeleteQueryNode,
  InsertQueryNode,
  type KyselyPlugin,
  type OperationNode,
  PostgresDialect,
  PostgresQueryCompiler,
  type QueryResult,
  RawNode,
  ReferenceNode,
  SelectQueryNode,
  TableNode,
  type UnknownRow,
  UpdateQueryNode,
} from "kysely";

/**
 * Tables and columns are named in snake_case in the database and in camelCase here. Statements are written with the first names
 * where each identifier is written anyway, which needs no walk through the statement; rows are given the second names, of which
 * there is one list for all rows of an answer. What lies in JSON columns is nobody's column and stays as it is.
 *
 * The environment of a row is called `environment` here. Most tables keep it in a column `network`, which is as old as the first
 * release; the newer ones, listed below, have a column `environment`.
 */
const ENVIRONMENT = "environment";
const ENVIRONMENT_COLUMN = "network";
const tablesWithEnvironment: ReadonlySet<string> = new Set([
  "apiKey",
  "budget",
  "callSpend",
  "callSpendLine",
  "spendCounter",
  "spendLimit",
]);

const snakeNames = new Map<string, string>();
const camelNames = new Map<string, string>();

export function toSnakeCase(name: string): string {
  return remembered(snakeNames, name, (text) => text.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
}

export function toCamelCase(name: string): string {
  return remembered(camelNames, name, (text) =>
    text.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
  );
}

/** The column that holds a property; `table` in camelCase. */
export function toColumnName(table: string | undefined, property: string): string {
  const isRenamed = property === ENVIRONMENT && (table === undefined || !tablesWithEnvironment.has(table));
  return isRenamed ? ENVIRONMENT_COLUMN : toSnakeCase(property);
}

export function toPropertyName(column: string): string {
  return column === ENVIRONMENT_COLUMN ? ENVIRONMENT : toCamelCase(column);
}

/** All names are in the code and in the migrations, so there are only as many as those have. */
function remembered(names: Map<string, string>, name: string, convert: (name: string) => string): string {
  const known = names.get(name);
  if (known !== undefined) return known;
  const converted = convert(name);
  names.set(name, converted);
  return converted;
}

const NOTHING = RawNode.createWithSql("");

class SnakeCaseCompiler extends PostgresQueryCompiler {
  /** The library keeps the parameters of a statement until the next one, and nobody knows when that is: they can be personal. */
  override compileQuery(...[node, queryId]: Parameters<PostgresQueryCompiler["compileQuery"]>) {
    const compiled = super.compileQuery(node, queryId);
    super.compileQuery(NOTHING, queryId);
    return compiled;
  }

  protected override sanitizeIdentifier(identifier: string): string {
    return super.sanitizeIdentifier(toSnakeCase(identifier));
  }

  protected override visitColumn(node: ColumnNode): void {
    const { name } = node.column;
    if (name !== ENVIRONMENT) super.visitColumn(node);
    else this.append(`"${toColumnName(this.#tableOfColumn(), name)}"`);
  }

  /** The table that the column is written with, or else the first one of the statement that the column stands in. */
  #tableOfColumn(): string | undefined {
    for (const node of this.nodeStack.toReversed()) {
      const table = tableOf(node);
      if (table !== undefined) return table;
    }
    return undefined;
  }
}

function tableOf(node: OperationNode): string | undefined {
  if (ReferenceNode.is(node)) return node.table?.table.identifier.name;
  if (InsertQueryNode.is(node)) return nameOfTable(node.into);
  if (UpdateQueryNode.is(node)) return nameOfTable(node.table);
  if (SelectQueryNode.is(node) || DeleteQueryNode.is(node)) return nameOfTable(node.from?.froms[0]);
  return undefined;
}

const nameOfTable = (node: OperationNode | undefined): string | undefined =>
  node !== undefined && TableNode.is(node) ? node.table.identifier.name : undefined;

export class SnakeCaseDialect extends PostgresDialect {
  override createQueryCompiler(): PostgresQueryCompiler {
    return new SnakeCaseCompiler();
  }
}

/** Of the rows that statements answer, also of those that are written as text. */
export const camelCaseRows: KyselyPlugin = {
  transformQuery: ({ node }) => node,
  async transformResult({ result }): Promise<QueryResult<UnknownRow>> {
    const [first] = result.rows;
    if (first === undefined) return result;
    const columns = Object.keys(first).map((column) => ({ column, name: toPropertyName(column) }));
    if (columns.every(({ column, name }) => column === name)) return result;
    const rows = result.rows.map((row) => {
      const named: Record<string, unknown> = {};
      for (const { column, name } of columns) named[name] = row[column];
      return named;
    });
    return { ...result, rows };
  },
};
