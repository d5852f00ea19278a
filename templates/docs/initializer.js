// Shows the OpenAPI document of the server this page came from. Nothing is fetched from anywhere else.

/** Shows security schemes of DPoP in words: Swagger UI can't make proofs, and calls the scheme unsupported. */
function proofsInWords({ getComponent, React }) {
  const { createElement } = React;
  return {
    wrapComponents: {
      HttpAuth: Original => (props) => {
        const { name, schema } = props;
        if (schema.get('scheme').toLowerCase() !== 'dpop') {
          return createElement(Original, props);
        }
        const Markdown = getComponent('Markdown', true);
        return createElement(
          'div',
          null,
          createElement('h4', null, createElement('code', null, name), ' (http, DPoP)'),
          createElement(Markdown, { source: schema.get('description') }),
          createElement('p', null, 'This page cannot make proofs: call with a library of Solid or of DPoP.'),
        );
      },
    },
  };
}

/** Follows what the browser is set to. */
function showInScheme({ matches }) {
  document.documentElement.classList.toggle('dark-mode', matches);
}

const dark = matchMedia('(prefers-color-scheme: dark)');
showInScheme(dark);
dark.addEventListener('change', showInScheme);

fetch(document.querySelector('#interface').dataset.document).then(async response => response.json()).then((spec) => {
  // The server makes one when it is absent: who tries an operation here need not.
  spec.components.parameters.correlationId.required = false;
  SwaggerUIBundle({
    spec,
    dom_id: '#interface',
    validatorUrl: null,
    queryConfigEnabled: false,
    docExpansion: 'list',
    presets: [ SwaggerUIBundle.presets.apis ],
    plugins: [ proofsInWords ],
  });
});
