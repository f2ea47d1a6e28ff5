/** Columns and tables are named in snake_case in the database and in camelCase here. */

const snakeNames = new Map<string, string>();
const camelNames = new Map<string, string>();

export function toSnakeCase(name: string): string {
  return remembered(snakeNames, name, () => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
}

export function toCamelCase(name: string): string {
  return remembered(camelNames, name, () =>
    name.replaceAll(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase()),
  );
}

/** All names are in the code and in the migrations, so there are only as many as those have. */
function remembered(names: Map<string, string>, name: string, convert: () => string): string {
  const known = names.get(name);
  if (known !== undefined) return known;
  const converted = convert();
  names.set(name, converted);
  return converted;
}
