/** The `--help` text of `client`. */
export const CLIENT_USAGE = `model-processing client add|remove ID
model-processing client list
Manages the OAuth clients of a local service, which may be running.

  --data DIR          data folder of the service (~/.model-processing)

add prints the secret once, as JSON.`;
