/**
 * Creates the script of a report: the viewer, and a part that shows the previews of the page in it. `viewerModule` is
 * the bundle `resources/viewer.js`.
 */
export function createReportScript(viewerModule: string): string {
  // A string of the bundle must not end the script of the page.
  return `${viewerModule.replace(/<\/(?=script)/gi, '<\\/').replaceAll('<!--', '<\\!--')}\n${START}`;
}

const START = `
const section = document.getElementById('view');
section.hidden = false;
const read = (name) => {
  const data = document.getElementById('preview-' + name);
  if (data === null) return undefined;
  const preview = Uint8Array.from(atob(data.textContent), (character) => character.charCodeAt(0));
  return { preview, pictures: [document.getElementById('picture-' + name).src] };
};
const texts = document.documentElement.lang === 'de' ? GERMAN : ENGLISH;
createViewer(document.getElementById('viewer'), { texts }).show(read('after'), read('before'));
`;
