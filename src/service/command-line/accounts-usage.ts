/** What `--help` says of `user` and `client`. */
export const ACCOUNTS_USAGE = `model-processing user add|password|remove NAME   who may use the service, while it runs or not
model-processing user list                      (the password is asked for, or is the first line of stdin)
model-processing client add|remove ID           which programs may ask for tokens; add prints the secret, once
model-processing client list
  --data DIR          the data folder of the service (~/.model-processing)`;
