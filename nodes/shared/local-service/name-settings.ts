/** Option of the service program → the property of `modelProcessing` in settings.js that has its value. */
const SETTINGS: Readonly<Record<string, string>> = {
  '--data': 'dataDir',
  '--keep-days': 'keepDays',
  '--disk-quota': 'diskQuota',
  '--workers': 'workers',
  '--memory': 'memory',
};

/**
 * Returns a message of the local service with the settings that a user of Node-RED can change, instead of options of its
 * command line. `format`: of the name of a setting. Default: with the place where it is set.
 */
export function nameSettings(
  message: string,
  format = (name: string) => `modelProcessing.${name} in settings.js`,
): string {
  return message.replace(/--[a-z]+(?:-[a-z]+)*/g, (option) => {
    const name = Object.hasOwn(SETTINGS, option) ? SETTINGS[option] : undefined;
    return name === undefined ? option : format(name);
  });
}
