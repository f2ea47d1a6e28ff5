// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {Pausable} from "@openzeppelin/contracts/utils/Pausable.sol";

/// What the wallet and the minter have in common: roles, tokens, the domain, and the transfers that were done.
abstract contract GatewayCommon is Ownable2Step, Pausable {
    uint32 public immutable domain;

    address public pauser;
    address public denylister;
    mapping(address token => bool) public isTokenSupported;
    mapping(address account => bool) public isDenylisted;
    mapping(bytes32 transferSpecHash => bool) public isTransferSpecHashUsed;

    event PauserChanged(address indexed oldPauser, address indexed newPauser);
    event DenylisterChanged(address indexed oldDenylister, address indexed newDenylister);
    event Denylisted(address indexed addr);
    event UnDenylisted(address indexed addr);
    event TokenSupported(address token);

    error InvalidAddress();
    error UnauthorizedPauser(address caller);
    error UnauthorizedDenylister(address addr);
    error AccountDenylisted(address addr);
    error UnsupportedToken(address token);
    error TransferSpecHashUsed(bytes32 transferSpecHash);

    /// `administrator` starts with every role; owner can hand them on one by one.
    constructor(address administrator, address[] memory supportedTokens, uint32 domain_) Ownable(administrator) {
        domain = domain_;
        _updatePauser(administrator);
        _updateDenylister(administrator);
        for (uint256 index = 0; index < supportedTokens.length; index++) {
            _addSupportedToken(supportedTokens[index]);
        }
    }

    modifier onlyPauser() {
        if (msg.sender != pauser) revert UnauthorizedPauser(msg.sender);
        _;
    }

    modifier onlyDenylister() {
        if (msg.sender != denylister) revert UnauthorizedDenylister(msg.sender);
        _;
    }

    modifier notDenylisted(address account) {
        _requireNotDenylisted(account);
        _;
    }

    modifier tokenSupported(address token) {
        if (!isTokenSupported[token]) revert UnsupportedToken(token);
        _;
    }

    function pause() external onlyPauser {
        _pause();
    }

    function unpause() external onlyPauser {
        _unpause();
    }

    function denylist(address account) external onlyDenylister {
        isDenylisted[account] = true;
        emit Denylisted(account);
    }

    function unDenylist(address account) external onlyDenylister {
        isDenylisted[account] = false;
        emit UnDenylisted(account);
    }

    function updatePauser(address newPauser) external onlyOwner {
        _updatePauser(newPauser);
    }

    function updateDenylister(address newDenylister) external onlyOwner {
        _updateDenylister(newDenylister);
    }

    /// There is no way back: whoever has a balance in a token can always take it out.
    function addSupportedToken(address token) external onlyOwner {
        _addSupportedToken(token);
    }

    function _requireNotDenylisted(address account) internal view {
        if (isDenylisted[account]) revert AccountDenylisted(account);
    }

    function _useTransferSpecHash(bytes32 transferSpecHash) internal {
        if (isTransferSpecHashUsed[transferSpecHash]) revert TransferSpecHashUsed(transferSpecHash);
        isTransferSpecHashUsed[transferSpecHash] = true;
    }

    function _requireAddress(address account) internal pure {
        if (account == address(0)) revert InvalidAddress();
    }

    function _addSupportedToken(address token) private {
        isTokenSupported[token] = true;
        emit TokenSupported(token);
    }

    function _updatePauser(address newPauser) private {
        _requireAddress(newPauser);
        emit PauserChanged(pauser, newPauser);
        pauser = newPauser;
    }

    function _updateDenylister(address newDenylister) private {
        _requireAddress(newDenylister);
        emit DenylisterChanged(denylister, newDenylister);
        denylister = newDenylister;
    }
}
