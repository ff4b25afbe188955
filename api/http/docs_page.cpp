// The page behind /docs. Everything is shown with textContent, so no text of the document can
// become markup; the token stays in the page.
#include "api/http/openapi.hpp"

#include "domain/codec/json/json_writer.hpp"

namespace annolog::http {
namespace {

constexpr std::string_view kStyle = R"CSS(
:root{color-scheme:light dark;--line:#8884;--soft:#8881}
body{font:15px/1.5 system-ui,sans-serif;margin:0 auto;max-width:62rem;padding:1rem}
header{position:sticky;top:0;background:Canvas;padding:.5rem 0;border-bottom:1px solid var(
--line);
display:flex;gap:.7rem;flex-wrap:wrap;align-items:center;z-index:1}
header h1{font-size:1.2rem;margin:0 auto 0 0}
input,textarea,button,select{font:inherit;padding:.25rem .5rem;border:1px solid var(--line);
border-radius:.3rem;background:Field;color:FieldText}
textarea{width:100%;box-sizing:border-box;min-height:8rem;font-family:ui-monospace,monospace}
h2{margin:1.6rem 0 .4rem;font-size:1.1rem}
details{border:1px solid var(--line);border-radius:.4rem;margin:.35rem 0}
summary{cursor:pointer;padding:.4rem .6rem;display:flex;gap:.7rem;align-items:baseline;
flex-wrap:wrap}
details>div{padding:.2rem .9rem .9rem}
.m{font:600 .8rem ui-monospace,monospace;padding:.1rem .45rem;border-radius:.25rem;color:#fff;
min-width:3.4rem;text-align:center}
.get{background:#1769aa}.post{background:#2e7d32}.patch{background:#9a6700}.put{
background:#6a1b9a}
.delete{background:#b3261e}code,pre,.path{font-family:ui-monospace,monospace}
pre{background:var(--soft);padding:.6rem;border-radius:.3rem;overflow:auto;max-height:26rem}
table{border-collapse:collapse;width:100%}td,th{border-bottom:1px solid var(--line);
padding:.25rem .5rem;text-align:left;vertical-align:top}.dim{opacity:.7}
)CSS";

constexpr std::string_view kScript = R"JS(
const el=(name,props={},...kids)=>{const e=Object.assign(document.createElement(name),props);
e.append(...kids.filter(k=>k!==null&&k!==undefined));return e;};
let api;
const resolve=s=>{while(s&&s.$ref)s=s.$ref.slice(2).split('/').reduce((o,k)=>o[k],api);
return s||{};};
const typeText=s=>{if(s.$ref)return s.$ref.split('/').pop();
if(s.anyOf)return s.anyOf.map(typeText).join(' | ');
if(s.oneOf)return s.oneOf.map(o=>o.allOf?typeText(o.allOf[0]):typeText(o)).join(' | ');
if(s.enum)return s.enum.map(v=>JSON.stringify(v)).join(' | ');
let t=[].concat(s.type||'any').join(' | ');
if(s.items)t+=' of '+typeText(s.items);
const marks=[['minimum','≥ '],['maximum','≤ '],['minLength','length ≥ '],['maxLength',
'length ≤ '],
['minItems','count ≥ '],['maxItems','count ≤ '],['format',''],['pattern','']];
const more=marks.filter(([k])=>s[k]!==undefined).map(([k,w])=>w+s[k]);
return more.length?t+' ('+more.join(', ')+')':t;};
const sample=(s,deep=0)=>{s=resolve(s);if(s.default!==undefined)return s.default;
if(s.anyOf)return sample(s.anyOf[0],deep);if(s.enum)return s.enum[0];
if(s.oneOf)return sample(s.oneOf[0],deep);
if(s.allOf)return Object.assign({},...s.allOf.map(x=>sample(x,deep)));
if(s.const!==undefined)return s.const;const t=[].concat(s.type)[0];
if(t==='object'){const o={};if(deep<5)for(const[k,v]of Object.entries(s.properties||{}))
if(!v.readOnly)o[k]=sample(v,deep+1);return o;}
if(t==='array')return deep<4&&s.items?[sample(s.items,deep+1)]:[];
if(t==='string')return s.format==='date-time'?'2026-01-31T08:00:00Z':'';
if(t==='integer'||t==='number')return s.minimum||0;if(t==='boolean')return false;return null;};
const fields=s=>{s=resolve(s);if(!s.properties)return el('p',{textContent:typeText(s)});
const need=new Set(s.required||[]);const t=el('table');
t.append(el('tr',{},el('th',{textContent:'member'}),el('th',{textContent:'type'}),el('th',{
textContent:'meaning'})));
for(const[k,v]of Object.entries(s.properties))t.append(el('tr',{},
el('td',{},el('code',{textContent:k+(need.has(k)?' *':'')})),el('td',{textContent:typeText(v)}),
el('td',{textContent:[v.description,v.default!==undefined?'Default '+JSON.stringify(
v.default):''].filter(Boolean).join(' ')})));
return t;};
const tryIt=(path,method,op)=>{const box=el('div');const inputs=[];
for(const raw of op.parameters||[]){const p=resolve(raw);const i=el('input',{placeholder:p.name,
title:p.description||''});
inputs.push([p,i]);box.append(el('label',{},p.name+' ',i),' ');}
const content=op.requestBody&&op.requestBody.content;let text=null;
if(content&&content['application/json']){text=el('textarea',{spellcheck:false});
text.value=JSON.stringify(sample(content['application/json'].schema),null,2);box.append(text);}
const out=el('pre',{hidden:true});const go=el('button',{textContent:'Send'});
go.onclick=async()=>{let url=path;const query=new URLSearchParams(),headers={};
for(const[p,i]of inputs){if(p.in==='path')url=url.replace('{'+p.name+'}',encodeURIComponent(
i.value));
else if(i.value!==''){if(p.in==='query')query.append(p.name,i.value);
else headers[p.name]=i.value;}}
if([...query].length)url+='?'+query;const token=document.getElementById('token').value.trim();
if(token)headers[token.startsWith('ak_')?'X-API-Key':'Authorization']=token.startsWith('ak_')?
token:'Bearer '+token;
if(text)headers['Content-Type']='application/json';out.hidden=false;out.textContent='…';
try{const r=await fetch(url,{method:method.toUpperCase(),headers,body:text?text.value:undefined});
let body=await r.text();try{body=JSON.stringify(JSON.parse(body),null,2);}catch{}
out.textContent=method.toUpperCase()+' '+url+'\n'+r.status+' '+r.statusText+'\n'+
[...r.headers].map(([k,v])=>k+': '+v).join('\n')+'\n\n'+body;}catch(e){out.textContent=String(
e);}};
box.append(el('p',{},go),out);return box;};
const show=(path,method,op)=>{const d=el('details',{id:op.operationId});
d.append(el('summary',{},el('span',{className:'m '+method,textContent:method.toUpperCase()}),
el('span',{className:'path',textContent:path}),el('span',{className:'dim',
textContent:op.summary||''})));
d.dataset.text=(path+' '+op.summary+' '+op.operationId).toLowerCase();
d.addEventListener('toggle',()=>{if(!d.open||d.dataset.full)return;d.dataset.full='1';
const box=el('div');if(op.description)box.append(el('p',{textContent:op.description}));
if(op['x-action'])box.append(el('p',{className:'dim',
textContent:'Needs: '+op['x-action'].replaceAll('_',' ')}));
const ps=(op.parameters||[]).map(resolve);
if(ps.length)box.append(el('h4',{textContent:'Parameters'}),fields({properties:Object.fromEntries(
ps.map(p=>[p.name+' ('+p.in+')',{...p.schema,description:p.description}])),
required:ps.filter(p=>p.required).map(p=>p.name+' ('+p.in+')')}));
for(const[t,c]of Object.entries((op.requestBody||{}).content||{}))
box.append(el('h4',{textContent:'Body: '+t}),c.schema?fields(c.schema):'');
box.append(el('h4',{textContent:'Answers'}));
for(const[s,raw]of Object.entries(op.responses)){const r=resolve(raw);
box.append(el('p',{},el('code',{textContent:s}),' '+r.description));
if(s<'300')for(const c of Object.values(r.content||{}))if(c.schema)box.append(fields(c.schema));}
box.append(el('h4',{textContent:'Try it'}),tryIt(path,method,op));d.append(box);});return d;};
(async()=>{const main=document.querySelector('main');try{api=await(await fetch(source)).json();}
catch(e){main.textContent='The document could not be read: '+e;return;}
document.getElementById('version').textContent=api.info.version;
const groups={};for(const[path,item]of Object.entries(api.paths))
for(const[method,op]of Object.entries(item))(groups[op.tags[0]]||=[]).push([path,method,op]);
for(const tag of Object.keys(groups).sort()){const s=el('section',{},el('h2',{textContent:tag}));
for(const o of groups[tag])s.append(show(...o));main.append(s);}
document.getElementById('find').oninput=e=>{const w=e.target.value.toLowerCase();
for(const d of document.querySelectorAll('details'))d.hidden=!d.dataset.text.includes(w);
for(const s of document.querySelectorAll('section'))s.hidden=![...s.querySelectorAll(
'details')].some(d=>!d.hidden);};
if(location.hash){const d=document.getElementById(location.hash.slice(1));if(d){d.open=true;
d.scrollIntoView();}}})();
)JS";

std::string escape_html(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

}  // namespace

std::string docs_page(std::string_view title, std::string_view document_url) {
  const std::string name = escape_html(title);
  std::string page = "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">";
  page += "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"><title>" + name;
  page += " API</title><style>";
  page += kStyle;
  page += "</style></head><body><header><h1>" + name;
  page +=
      " <span id=\"version\" class=\"dim\"></span></h1>"
      "<input id=\"find\" type=\"search\" placeholder=\"Find an operation\" aria-label=\"Find\">"
      "<input id=\"token\" type=\"password\" autocomplete=\"off\" "
      "placeholder=\"Bearer token or API key\" aria-label=\"Token\"></header><main></main>"
      "<script>const source=";
  std::string url;
  codec::write_json_string(url, document_url);
  for (std::size_t at = 0; (at = url.find('<', at)) != std::string::npos;) {
    url.replace(at, 1, "\\u003c");
  }
  page += url;
  page += ';';
  page += kScript;
  page += "</script></body></html>\n";
  return page;
}

}  // namespace annolog::http
