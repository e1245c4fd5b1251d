/** A UUID, with the words that introduce it. */
const ID = /(?: with id)? ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\b/gi;

/**
 * Formats an error message for users: it leads with the file's name, unless it contains the name, and ids are moved to
 * the end. Flows may show the message to people for whom an id means nothing, but support needs it.
 */
export function formatErrorMessage(message: string, filename: string | undefined): string {
  const ids = new Set([...message.matchAll(ID)].map(([, id]) => id));
  const text = message.replace(/\bNo (\w+)(?= with id )/g, 'No such $1').replace(ID, '');
  const isLed = filename !== undefined && !text.includes(filename);
  const sentence = isLed ? `${filename}: ${text.replace(/^The (\S+) (failed|was cancelled)\b/, '$1 $2')}` : text;
  return ids.size === 0 ? sentence : `${sentence} (${[...ids].join(', ')})`;
}
