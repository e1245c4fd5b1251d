/** Returns the URL at which programs on this machine reach a service that listens on a host and port. */
export function formatBaseUrl(host: string, port: number): string {
  if (host === '0.0.0.0') return `http://127.0.0.1:${port}`;
  if (host === '::') return `http://[::1]:${port}`;
  return `http://${formatAuthority(host, port)}`;
}

/** Returns a host and port as in a URL: an IPv6 address is in brackets. */
export function formatAuthority(host: string, port: number): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}
