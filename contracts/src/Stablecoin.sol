// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {SignedAuthorizations} from "./stablecoin/SignedAuthorizations.sol";
import {TokenControls} from "./stablecoin/TokenControls.sol";

/// A development token with the surface of Circle's FiatTokenV2_2, deployed once as USDC and once as EURC. It is worth
/// nothing. contracts/README.md lists where it differs from the real ones.
contract Stablecoin is ERC20, SignedAuthorizations, TokenControls {
    string public currency;

    event Mint(address indexed minter, address indexed to, uint256 amount);
    event Burn(address indexed burner, uint256 amount);

    constructor(string memory name_, string memory symbol_, string memory currency_, address administrator)
        ERC20(name_, symbol_)
        EIP712(name_, "2")
        TokenControls(administrator)
    {
        currency = currency_;
    }

    function decimals() public pure override returns (uint8) {
        return 6;
    }

    /// The version in the EIP-712 domain, for clients that build the domain from name() and version().
    function version() external pure returns (string memory) {
        return "2";
    }

    function mint(address to, uint256 amount) external onlyMinters returns (bool) {
        _requireNotBlacklisted(msg.sender);
        require(to != address(0), "FiatToken: mint to the zero address");
        require(amount > 0, "FiatToken: mint amount not greater than 0");
        require(amount <= _minterAllowance[msg.sender], "FiatToken: mint amount exceeds minterAllowance");
        _minterAllowance[msg.sender] -= amount;
        emit Mint(msg.sender, to, amount);
        _mint(to, amount);
        return true;
    }

    function burn(uint256 amount) external onlyMinters {
        require(amount > 0, "FiatToken: burn amount not greater than 0");
        require(amount <= balanceOf(msg.sender), "FiatToken: burn amount exceeds balance");
        emit Burn(msg.sender, amount);
        _burn(msg.sender, amount);
    }

    function transfer(address to, uint256 value) public override returns (bool) {
        _move(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) public override returns (bool) {
        _requireNotBlacklisted(msg.sender);
        _spendAllowance(from, msg.sender, value);
        _move(from, to, value);
        return true;
    }

    function increaseAllowance(address spender, uint256 increment) external returns (bool) {
        _approve(msg.sender, spender, allowance(msg.sender, spender) + increment);
        return true;
    }

    function decreaseAllowance(address spender, uint256 decrement) external returns (bool) {
        uint256 current = allowance(msg.sender, spender);
        require(decrement <= current, "ERC20: decreased allowance below zero");
        _approve(msg.sender, spender, current - decrement);
        return true;
    }

    function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)
        external
    {
        permit(owner, spender, value, deadline, abi.encodePacked(r, s, v));
    }

    function permit(address owner, address spender, uint256 value, uint256 deadline, bytes memory signature) public {
        _usePermit(owner, spender, value, deadline, signature);
        _approve(owner, spender, value);
    }

    function transferWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        transferWithAuthorization(from, to, value, validAfter, validBefore, nonce, abi.encodePacked(r, s, v));
    }

    function transferWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes memory signature
    ) public whenNotPaused {
        _useAuthorization(
            TRANSFER_WITH_AUTHORIZATION_TYPEHASH, from, to, value, validAfter, validBefore, nonce, signature
        );
        _move(from, to, value);
    }

    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        receiveWithAuthorization(from, to, value, validAfter, validBefore, nonce, abi.encodePacked(r, s, v));
    }

    /// Only the payee may submit it, so nobody can take the authorization out of a contract's call and use it alone.
    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes memory signature
    ) public whenNotPaused {
        require(to == msg.sender, "FiatTokenV2: caller must be the payee");
        _useAuthorization(
            RECEIVE_WITH_AUTHORIZATION_TYPEHASH, from, to, value, validAfter, validBefore, nonce, signature
        );
        _move(from, to, value);
    }

    function cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s) external {
        cancelAuthorization(authorizer, nonce, abi.encodePacked(r, s, v));
    }

    function cancelAuthorization(address authorizer, bytes32 nonce, bytes memory signature) public whenNotPaused {
        _cancelAuthorization(authorizer, nonce, signature);
    }

    /// OpenZeppelin would answer with errors of its own; clients of the real tokens know these.
    function _move(address from, address to, uint256 value) private {
        require(to != address(0), "ERC20: transfer to the zero address");
        require(value <= balanceOf(from), "ERC20: transfer amount exceeds balance");
        _transfer(from, to, value);
    }

    /// Every movement of money passes here, so a blocked account cannot be forgotten in one of the ways to move it.
    function _update(address from, address to, uint256 value) internal override whenNotPaused {
        // The zero address stands for minting and burning.
        if (from != address(0)) _requireNotBlacklisted(from);
        if (to != address(0)) _requireNotBlacklisted(to);
        super._update(from, to, value);
    }

    function _approve(address owner, address spender, uint256 value, bool emitEvent) internal override whenNotPaused {
        require(spender != address(0), "ERC20: approve to the zero address");
        super._approve(owner, spender, value, emitEvent);
    }

    /// The real tokens know no unlimited allowance: the largest number is counted down like any other.
    function _spendAllowance(address owner, address spender, uint256 value) internal override {
        uint256 current = allowance(owner, spender);
        require(value <= current, "ERC20: transfer amount exceeds allowance");
        _approve(owner, spender, current - value, false);
    }
}
