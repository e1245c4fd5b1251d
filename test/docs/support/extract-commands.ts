/** Returns the shell commands of a page, in order. */
export function extractCommands(page: string): string {
  return [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, commands]) => commands).join('\n');
}
