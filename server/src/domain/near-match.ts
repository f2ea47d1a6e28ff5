/** The known name at the smallest edit distance, if it is similar enough. */
export function nearest(
  name: string,
  known: readonly string[],
  mostSlips = Math.max(2, Math.floor(name.length / 3)),
): string | undefined {
  let best: string | undefined;
  let bestDistance = mostSlips + 1;
  if (name.length > 64) return undefined;
  const plain = (text: string) => text.toLowerCase().replaceAll(/[_-]/g, "");
  for (const candidate of known) {
    const distance = editDistance(plain(name), plain(candidate));
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

function editDistance(left: string, right: string): number {
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const cost = left[row - 1] === right[column - 1] ? 0 : 1;
      current.push(
        Math.min((previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, (previous[column - 1] ?? 0) + cost),
      );
    }
    previous = current;
  }
  return previous[right.length] ?? 0;
}
