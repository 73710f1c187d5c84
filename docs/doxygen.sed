# doxygen.sed - our comments as doxygen wants them: one above, or one behind, what it tells of.
s|^\([^/]*[;,{A-Z0-9_] *\)/\* |\1/**< |
s|^\( *\)/\*$|\1/**|
s|^\( *\)/\* |\1/** |
