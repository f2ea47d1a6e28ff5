// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {StablecoinFixture} from "../support/StablecoinFixture.sol";
import {vm} from "../support/Vm.sol";

/// Moves money between four keys, one wallet with code and the minter, in every way there is. At most two of them are
/// blocked at a time, and a call chooses those who may act, so that nearly every call does something.
contract StablecoinHandler is StablecoinFixture {
    uint256 private constant LARGEST_AMOUNT = 1e12;
    uint256 private constant LARGEST_NUMBER_BLOCKED = 2;

    address[] public accounts;
    mapping(address account => uint256 key) private keyOf;
    uint256 public blockedCount;
    mapping(address account => uint256) public balanceWhenBlocked;

    uint256 public minted;
    uint256 public burned;
    uint256 private nextNonce = 1;
    Authorization[] private spent;
    bytes[] private spentSignatures;
    uint256 public authorizationsUsedTwice;
    uint256 public movementsOfBlocked;

    constructor() {
        setUp();
        for (uint256 key = 0x1001; key <= 0x1004; key++) {
            add(vm.addr(key), key);
        }
        add(address(wallet), KEEPER_KEY);
        add(MINTER, 0);
        mintTo(accounts[0], LARGEST_AMOUNT);
        minted = LARGEST_AMOUNT;
    }

    function mint(uint256 seed, uint256 amount) external {
        address to = someone(seed);
        if (token.isBlacklisted(MINTER)) unblock(MINTER);
        uint256 value = 1 + (amount % LARGEST_AMOUNT);
        mintTo(to, value);
        minted += value;
    }

    function burn(uint256 amount) external {
        if (token.isBlacklisted(MINTER)) unblock(MINTER);
        if (token.balanceOf(MINTER) == 0) {
            mintTo(MINTER, 100);
            minted += 100;
        }
        uint256 value = 1 + (amount % token.balanceOf(MINTER));
        vm.prank(MINTER);
        token.burn(value);
        burned += value;
    }

    function transfer(uint256 fromSeed, uint256 toSeed, uint256 amount) external {
        address from = someone(fromSeed);
        address to = someone(toSeed);
        uint256 value = amount % (token.balanceOf(from) + 1);
        vm.prank(from);
        token.transfer(to, value);
    }

    function transferFrom(uint256 fromSeed, uint256 spenderSeed, uint256 toSeed, uint256 amount) external {
        address from = someone(fromSeed);
        address spender = someone(spenderSeed);
        address to = someone(toSeed);
        uint256 value = amount % (token.balanceOf(from) + 1);
        vm.prank(from);
        token.approve(spender, value);
        vm.prank(spender);
        token.transferFrom(from, to, value);
    }

    function permitAndTransferFrom(uint256 ownerSeed, uint256 spenderSeed, uint256 amount) external {
        address owner = someoneWhoSigns(ownerSeed);
        address spender = someone(spenderSeed);
        uint256 value = amount % (token.balanceOf(owner) + 1);
        bytes32 structHash = permitHash(owner, spender, value, token.nonces(owner), NOW);
        token.permit(owner, spender, value, NOW, packed(keyOf[owner], structHash));
        vm.prank(spender);
        token.transferFrom(owner, spender, value);
    }

    function transferWithAuthorization(uint256 fromSeed, uint256 toSeed, uint256 amount) external {
        Authorization memory given = newAuthorization(fromSeed, toSeed, amount);
        bytes memory signature = packed(keyOf[given.from], transferHash(given));
        submitTransfer(given, signature);
        remember(given, signature);
    }

    function receiveWithAuthorization(uint256 fromSeed, uint256 toSeed, uint256 amount) external {
        Authorization memory given = newAuthorization(fromSeed, toSeed, amount);
        bytes memory signature = packed(keyOf[given.from], receiveHash(given));
        vm.prank(given.to);
        submitReceive(given, signature);
        remember(given, packed(keyOf[given.from], transferHash(given)));
    }

    function cancelAuthorization(uint256 fromSeed, uint256 toSeed, uint256 amount) external {
        Authorization memory given = newAuthorization(fromSeed, toSeed, amount);
        token.cancelAuthorization(
            given.from, given.nonce, packed(keyOf[given.from], cancelHash(given.from, given.nonce))
        );
        remember(given, packed(keyOf[given.from], transferHash(given)));
    }

    function toggleBlock(uint256 seed) external {
        address account = accounts[seed % accounts.length];
        if (token.isBlacklisted(account)) {
            unblock(account);
            return;
        }
        if (blockedCount == LARGEST_NUMBER_BLOCKED) unblock(firstBlocked());
        blockAccount(account);
        blockedCount++;
        balanceWhenBlocked[account] = token.balanceOf(account);
    }

    function attemptReplay(uint256 seed) external {
        vm.assume(spent.length > 0);
        uint256 index = seed % spent.length;
        Authorization memory a = spent[index];
        // Covered and unblocked: nothing but the used nonce may stop it.
        vm.assume(!token.isBlacklisted(a.from) && !token.isBlacklisted(a.to) && token.balanceOf(a.from) >= a.value);
        (bool success,) = address(token)
            .call(
                abi.encodeWithSignature(
                    "transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)",
                    a.from,
                    a.to,
                    a.value,
                    a.validAfter,
                    a.validBefore,
                    a.nonce,
                    spentSignatures[index]
                )
            );
        if (success) authorizationsUsedTwice++;
    }

    function attemptBlockedMovement(uint256 otherSeed, uint256 amount) external {
        vm.assume(blockedCount > 0);
        address account = firstBlocked();
        address other = someone(otherSeed);
        uint256 value = amount % (token.balanceOf(account) + 1);
        count(account, abi.encodeCall(token.transfer, (other, value)));
        count(other, abi.encodeCall(token.transfer, (account, amount % (token.balanceOf(other) + 1))));
        vm.prank(account);
        token.approve(other, value);
        count(other, abi.encodeCall(token.transferFrom, (account, other, value)));
        if (keyOf[account] == 0) return;
        Authorization memory a = authorization(account, other, value, bytes32(nextNonce++));
        count(
            other,
            abi.encodeWithSignature(
                "transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)",
                a.from,
                a.to,
                a.value,
                a.validAfter,
                a.validBefore,
                a.nonce,
                packed(keyOf[account], transferHash(a))
            )
        );
    }

    function accountCount() external view returns (uint256) {
        return accounts.length;
    }

    function isBlocked(address account) external view returns (bool) {
        return token.isBlacklisted(account);
    }

    function balanceOf(address account) external view returns (uint256) {
        return token.balanceOf(account);
    }

    function totalSupply() external view returns (uint256) {
        return token.totalSupply();
    }

    function spentCount() external view returns (uint256) {
        return spent.length;
    }

    function isSpent(uint256 index) external view returns (bool) {
        return token.authorizationState(spent[index].from, spent[index].nonce);
    }

    function add(address account, uint256 key) private {
        accounts.push(account);
        keyOf[account] = key;
    }

    function unblock(address account) private {
        vm.prank(ADMINISTRATOR);
        token.unBlacklist(account);
        blockedCount--;
    }

    function count(address sender, bytes memory callData) private {
        vm.prank(sender);
        (bool success,) = address(token).call(callData);
        if (success) movementsOfBlocked++;
    }

    function remember(Authorization memory given, bytes memory transferSignature) private {
        spent.push(given);
        spentSignatures.push(transferSignature);
    }

    function newAuthorization(uint256 fromSeed, uint256 toSeed, uint256 amount) private returns (Authorization memory) {
        address from = someoneWhoSigns(fromSeed);
        return authorization(from, someone(toSeed), amount % (token.balanceOf(from) + 1), bytes32(nextNonce++));
    }

    /// The first account from `seed` on that is not blocked.
    function someone(uint256 seed) private view returns (address account) {
        for (uint256 step = 0; step < accounts.length; step++) {
            account = accounts[(seed % accounts.length + step) % accounts.length];
            if (!token.isBlacklisted(account)) return account;
        }
    }

    function firstBlocked() private view returns (address account) {
        for (uint256 i = 0; i < accounts.length; i++) {
            if (token.isBlacklisted(accounts[i])) return accounts[i];
        }
    }

    function someoneWhoSigns(uint256 seed) private view returns (address account) {
        for (uint256 step = 0; step < accounts.length; step++) {
            account = accounts[(seed % accounts.length + step) % accounts.length];
            if (keyOf[account] != 0 && !token.isBlacklisted(account)) return account;
        }
    }
}
