/** Creates an element. `children` are elements and texts; texts are never parsed as HTML. */
export function createElement(tag, { className, attributes = {}, on = {} } = {}, ...children) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  for (const [type, listener] of Object.entries(on)) element.addEventListener(type, listener);
  element.append(...children);
  return element;
}

/** Creates a button of the editor with an icon of Font Awesome and a text. */
export function createButton(icon, label, onClick, attributes = {}) {
  const symbol = createElement('i', { className: `fa ${icon}`, attributes: { 'aria-hidden': 'true' } });
  return createElement(
    'button',
    {
      className: 'red-ui-button red-ui-button-small',
      attributes: { type: 'button', ...attributes },
      on: { click: onClick },
    },
    symbol,
    ` ${label}`,
  );
}

// level → its icon: not by color alone. `unconfirmed`: a solid that may not be what its file meant
const ICONS = {
  open: 'fa-chain-broken',
  watertight: 'fa-tint',
  manifold: 'fa-exclamation-triangle',
  unconfirmed: 'fa-exclamation-triangle',
  solid: 'fa-check',
};

/** Creates the badge of the verdict of a summary. */
export function createBadge({ level: known, needsRepair }, text) {
  const level = known === 'solid' && needsRepair ? 'unconfirmed' : known;
  const icon = createElement('i', {
    className: `fa ${ICONS[level] ?? 'fa-question'}`,
    attributes: { 'aria-hidden': 'true' },
  });
  const name = Object.hasOwn(ICONS, level) ? level : 'none';
  return createElement(
    'span',
    { className: 'model-processing-badge', attributes: { 'data-level': name } },
    icon,
    ` ${text(`level.${name}`)}`,
  );
}

/** Returns a number in the language of the editor. */
export function formatNumber(value, digits = 0) {
  return new Intl.NumberFormat(RED.i18n.lang(), { maximumFractionDigits: digits }).format(value);
}
