/** The `--help` text of `user` and `client`. */
export const ACCOUNTS_USAGE = `model-processing user add|password|remove NAME   manage users (the service may be running)
model-processing user list                       (prompts for the password, or reads one line from stdin)
model-processing client add|remove ID            manage OAuth clients; add prints the secret once
model-processing client list
  --data DIR          data folder of the service (~/.model-processing)`;
