import {
  type KyselyPlugin,
  PostgresDialect,
  PostgresQueryCompiler,
  type QueryResult,
  RawNode,
  type UnknownRow,
} from "kysely";

/**
 * Tables and columns are named in snake_case in the database and in camelCase here. Statements are written with the first names
 * where each identifier is written anyway, which needs no walk through the statement; rows are given the second names, of which
 * there is one list for all rows of an answer. What lies in JSON columns is nobody's column and stays as it is.
 */

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
}

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
    const columns = Object.keys(first).map((column) => ({ column, name: toCamelCase(column) }));
    if (columns.every(({ column, name }) => column === name)) return result;
    const rows = result.rows.map((row) => {
      const named: Record<string, unknown> = {};
      for (const { column, name } of columns) named[name] = row[column];
      return named;
    });
    return { ...result, rows };
  },
};
